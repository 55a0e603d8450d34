import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../../sessions/indexed/row.ts';
import type { SessionModel } from '../tree/session-model.ts';
import { EntryView } from './entry-view.tsx';
import type { Agent, EntryItem, Of, Source } from './source.ts';

const CHUNK = 30;
/** What an entry takes before it was drawn. */
const GUESS = 90;
/** How far from what is visible entries are loaded. */
const NEAR = '1200px 0px';

export interface ConversationProps {
  source: Source;
  of: Of;
  model: SessionModel;
  rows: readonly Row[];
  agents: readonly Agent[];
  chosen: Row | null;
  /** Counts up when a person asks for the chosen row, so that it is brought into view. */
  jump: number;
  choose: (row: Row) => void;
  openAgent: (id: string) => void;
  /** Written now, and not in the file yet. */
  partial: string;
}

/** The conversation of a branch: entries are loaded in pieces, near to what is visible. */
export function ConversationView(props: ConversationProps): VNode {
  const { rows, chosen, jump, partial, model } = props;
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const shown = useMemo(() => rows.filter((row) => isShown(row, model)), [rows, model]);
  const chunks = useMemo(() => chunksOf(shown), [shown]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const stay = () => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    };
    stay();
    const observer = new ResizeObserver(stay);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, [chunks, partial]);

  const wanted = useRef(0);
  useEffect(() => {
    const element = box.current;
    if (!element || !chosen || jump === 0 || jump === wanted.current) return;
    wanted.current = jump;
    isAtEnd.current = false;
    return bringIntoView(element, chosen.id, Math.floor(shown.indexOf(chosen) / CHUNK));
  }, [chosen, jump]);

  const onScroll = () => {
    const element = box.current;
    if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
  };
  return (
    <div class="conversation" ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label="conversation">
      <div>
        {chunks.map((chunk, at) => (
          <Chunk key={chunk[0]?.n} {...props} rows={chunk} place={at} />
        ))}
        {partial !== '' && (
          <article class="entry answer partial">
            <header>
              <span class="who">Agent</span> writes
            </header>
            <div class="plain">{partial}</div>
          </article>
        )}
        {shown.length === 0 && <p class="empty">There are no messages on this branch.</p>}
      </div>
    </div>
  );
}

/** Results stand with their calls, and what the runtime wrote for the model is in the details of its row. */
function isShown(row: Row, { calls }: SessionModel): boolean {
  if (row.isMeta && row.kind !== 'summary' && row.kind !== 'boundary') return false;
  if (row.kind === 'attachment' || row.kind === 'other') return false;
  return row.kind !== 'result' || row.parts.some(({ kind, call }) => kind !== 'result' || !calls.has(call ?? ''));
}

function chunksOf(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  for (let at = 0; at < rows.length; at += CHUNK) chunks.push(rows.slice(at, at + CHUNK));
  return chunks;
}

/** First the piece, then, when it was loaded, the message itself. */
function bringIntoView(box: HTMLElement, id: string, chunk: number): () => void {
  let tries = 0;
  const step = () => {
    const entry = box.querySelector(`[data-id="${CSS.escape(id)}"]`);
    (entry ?? box.querySelector(`[data-chunk="${chunk}"]`))?.scrollIntoView({ block: entry ? 'center' : 'start' });
    if ((!entry || tries < 3) && tries++ < 40) timer = setTimeout(step, entry ? 60 : 30);
  };
  let timer = setTimeout(step, 0);
  return () => clearTimeout(timer);
}

/** A piece of the conversation. Far from what is visible it has a height and nothing else. */
function Chunk({
  source,
  of,
  model,
  rows,
  place,
  agents,
  chosen,
  choose,
  openAgent,
}: ConversationProps & { place: number }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(rows.length * GUESS);
  const [isNear, setIsNear] = useState(false);
  const [items, setItems] = useState<ReadonlyMap<number, EntryItem> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = useMemo(() => wantedRows(rows, model), [rows, model]);
  const key = wanted.join(',');

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting && element.offsetHeight > 0) height.current = element.offsetHeight;
        setIsNear(entry?.isIntersecting === true);
      },
      { root: element.closest('.conversation'), rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!isNear) return void setItems(null);
    let isGone = false;
    source.entries(of, wanted).then(
      (found) => isGone || setItems(new Map(found.map((item) => [item.n ?? -1, item]))),
      (error) => isGone || setProblem(error.message),
    );
    return () => {
      isGone = true;
    };
  }, [isNear, key]);

  const style = items === null ? { height: `${height.current}px` } : {};
  return (
    <div class="chunk" data-chunk={place} ref={box} style={style}>
      {problem !== null && <p class="problem">{problem}</p>}
      {items !== null &&
        rows.map((row, at) => {
          const item = items.get(row.n);
          return item ? (
            <EntryView
              key={row.n}
              {...{ source, of, model, row, item, agents, choose, openAgent }}
              others={items}
              isChosen={row === chosen}
              isSame={row.kind === 'answer' && rows[at - 1]?.kind === 'answer'}
            />
          ) : null;
        })}
    </div>
  );
}

function wantedRows(rows: readonly Row[], { calls }: SessionModel): number[] {
  const wanted = new Set<number>();
  for (const row of rows) {
    wanted.add(row.n);
    for (const { kind, call } of row.parts) {
      const result = kind === 'call' ? calls.get(call ?? '')?.result : undefined;
      if (result) wanted.add(result.row.n);
    }
  }
  return [...wanted].sort((a, b) => a - b);
}
