import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../../sessions/indexed/row.ts';
import { conversationTo, endBelow, stepAt, sumsOf, type TreeStep, upFrom } from '../tree/session-model.ts';
import { shownBytes, shownTime, shownTokens, shownUsd } from '../tree/shown-figures.ts';
import type { TreeFilter, TreeLine } from '../tree/tree-lines.ts';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { EntryView } from './entry-view.tsx';
import { NodePanel } from './node-panel.tsx';
import { go, note, type PageRoute } from './page-address.ts';
import { SearchBox } from './search-box.tsx';
import { SessionActions } from './session-actions.tsx';
import type { Of, Source } from './source.ts';
import { TreeView } from './tree-view.tsx';
import { type ShownSession, useSession } from './use-session.ts';
import { useTurns } from './use-turns.ts';

const FILTERS: readonly TreeFilter[] = ['prompts', 'answers', 'tools', 'errors', 'everything'];

/** One session: its tree, the conversation of a branch, and the details of a node. */
export function SessionPage({ source, route }: { source: Source; route: PageRoute & { session: string } }): VNode {
  const { session: id, agent, message } = route;
  const of = useMemo<Of>(() => ({ id, ...(agent !== null && { agent }) }), [id, agent]);
  const shown = useSession(source, id, agent);
  const turns = useTurns(source, id, agent === null);
  const { model, page, agents } = shown;
  const [filter, setFilter] = useState<TreeFilter>('tools');
  const [isTimeline, setIsTimeline] = useState(false);
  const [chosen, setChosen] = useState<{ row: Row; key: string } | null>(null);
  const [jump, setJump] = useState(0);
  const [isPanelOpen, setIsPanelOpen] = useState(false);
  const [view, setView] = useState<NarrowView>('conversation');
  const [edited, setEdited] = useState<Row | null>(null);

  // Numbers of rows stay, the rows themselves are replaced when the session grows.
  const row = chosen === null ? null : (model.rows[chosen.row.n] ?? null);
  // A branch stays as long as what is chosen is on it.
  const branch = useRef<number | null>(null);
  const end = useMemo(() => endFor(row, branch.current, shown), [row, model]);
  branch.current = end === null || end.isOnPath ? null : end.n;
  const rows = useMemo(() => conversationTo(model, end), [model, end]);

  const choose = (next: Row, key = `p${next.n}`) => {
    setChosen({ row: next, key });
    note({ session: id, agent, message: next.id });
  };
  const chooseLine = (line: TreeLine, by: 'key' | 'click') => {
    choose(line.row, line.key);
    setJump(jump + 1);
    if (by === 'click') setView('conversation');
  };

  useEffect(() => {
    const found =
      message === null ? undefined : model.rows.find((each) => each.id === message || each.copyOf === message);
    if (!found || found.n === chosen?.row.n) return;
    setChosen({ row: found, key: found.kind === 'prompt' ? `p${found.n}` : `r${found.n}.0` });
    setJump((count) => count + 1);
  }, [message, model.rows.length > 0]);

  useKeys(source.canChange ? row : null, { close: () => setIsPanelOpen(false), edit: setEdited });

  const details = (next: Row) => {
    choose(next, next.kind === 'prompt' ? `p${next.n}` : `r${next.n}.0`);
    setIsPanelOpen(true);
  };
  // What was sent goes to the active branch: that one is shown.
  const toActive = () => {
    branch.current = null;
    setChosen(null);
    note({ session: id });
  };
  const openAgent = (agentId: string) => go({ session: id, agent: agentId });
  return (
    <main class={`session show-${view}`} aria-label={page?.title ?? 'session'}>
      <Header shown={shown} source={source} of={of} />
      <Tabs view={view} setView={setView} />
      <section class="tree-side" aria-label="tree">
        <TreeTools {...{ source, id, filter, setFilter, isTimeline, setIsTimeline }} />
        <TreeView
          {...{ model, agents, filter, isTimeline, openAgent }}
          chosen={chosen?.key ?? null}
          choose={chooseLine}
        />
      </section>
      <section class="talk-side" aria-label="messages">
        {page === null ? (
          <Tail source={source} of={of} shown={shown} />
        ) : (
          <ConversationView
            {...{ source, of, model, rows, agents, jump, openAgent }}
            chosen={row}
            choose={details}
            partial={end === model.active ? turns.partial : ''}
          />
        )}
        {agent === null && source.canChange && (
          <Composer {...{ source, id, shown, turns, edited, setEdited }} sent={toActive} />
        )}
      </section>
      {isPanelOpen && row && (
        <NodePanel
          {...{ source, of, model, row, agents }}
          close={() => setIsPanelOpen(false)}
          edit={source.canChange && agent === null ? setEdited : null}
        />
      )}
    </main>
  );
}

interface TreeToolsProps {
  source: Source;
  id: string;
  filter: TreeFilter;
  setFilter: (filter: TreeFilter) => void;
  isTimeline: boolean;
  setIsTimeline: (isTimeline: boolean) => void;
}

/** What the tree shows, and the search. */
function TreeTools({ source, id, filter, setFilter, isTimeline, setIsTimeline }: TreeToolsProps): VNode {
  return (
    <div class="bar-of-tools">
      <label>
        show{' '}
        <select value={filter} onChange={(event) => setFilter(event.currentTarget.value as TreeFilter)}>
          {FILTERS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <button type="button" aria-pressed={isTimeline} onClick={() => setIsTimeline(!isTimeline)}>
        timeline
      </button>
      <SearchBox source={source} id={id} />
    </div>
  );
}

type NarrowView = 'tree' | 'conversation';

/** What a narrow window shows. */
function Tabs({ view, setView }: { view: NarrowView; setView: (view: NarrowView) => void }): VNode {
  return (
    <div class="tabs" role="group" aria-label="view">
      {(['tree', 'conversation'] as const).map((name) => (
        <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

/** Escape closes the details, `e` edits the chosen prompt. */
function useKeys(row: Row | null, act: { close: () => void; edit: (row: Row) => void }): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') act.close();
      const isTyping = (event.target as HTMLElement).closest?.('input,textarea,select') !== null;
      if (event.key === 'e' && !isTyping && !event.ctrlKey && !event.metaKey && row?.kind === 'prompt') {
        event.preventDefault();
        act.edit(row);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [row]);
}

/** The end of the branch that is shown: the one so far where what is chosen is on it, else the active one, else its own. */
function endFor(row: Row | null, branch: number | null, { model }: ShownSession): TreeStep | null {
  const { active, steps, ends } = model;
  const before = branch === null ? undefined : steps.get(branch);
  const current = before ? endBelow(before) : (active ?? ends.at(-1) ?? null);
  const step = row && stepAt(model.rows, steps, row.n);
  if (!step || upFrom(current).includes(step)) return current;
  return step.isOnPath ? active : endBelow(step);
}

function Header({ shown, source, of }: { shown: ShownSession; source: Source; of: Of }): VNode {
  const { page, model, agents, holder, problem, progress } = shown;
  const sums = useMemo(() => sumsOf(model.steps.values()), [model]);
  const agent = agents.find(({ id }) => id === of.agent);
  const title = agent
    ? `${agent.kind ?? 'agent'}: ${agent.description ?? agent.id}`
    : (page?.title ?? firstPrompt(shown) ?? of.id);
  const all = page?.costUsd ?? null;
  const isOther = all !== null && sums.usd !== null && Math.abs(all - sums.usd) > 0.0005;
  const facts = [
    page?.cwd ?? '',
    all !== null ? shownUsd(all) : sums.input > 0 ? `${shownTokens(sums.input + sums.output)} tokens` : '',
    isOther ? `the turns sum up to ${shownUsd(sums.usd ?? 0)}` : '',
    sums.ms > 0 ? shownTime(sums.ms) : '',
    `${sums.turns} ${sums.turns === 1 ? 'turn' : 'turns'}`,
    model.ends.length > 1 ? `${model.ends.length} branches` : '',
    agents.length > 0 && !agent ? `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}` : '',
  ];
  return (
    <header class="head">
      <h1>
        {agent && (
          <a href={`#/s/${of.id}`} class="back">
            ← session
          </a>
        )}{' '}
        {title}
      </h1>
      <p class="facts">{facts.filter(Boolean).join(' · ')}</p>
      {holder && (
        <p class="holder">
          <span class="live">●</span> process {holder.pid} on {holder.host} {holder.here ? '(this server) ' : ''}writes
          to it{holder.state ? `: ${holder.state}` : ''}
        </p>
      )}
      {progress && (
        <p class="progress" role="status">
          <progress value={progress.read} max={progress.size} aria-label="reading" /> reading{' '}
          {shownBytes(progress.read)} of {shownBytes(progress.size)}
        </p>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {page && page.problems.length > 0 && (
        <details class="damage">
          <summary>
            {page.problems.length === 1 ? 'one damaged place' : `${page.problems.length} damaged places`}
          </summary>
          <ul>
            {page.problems.slice(0, 100).map(({ line, text }, at) => (
              <li key={at}>
                line {line}: {text}
              </li>
            ))}
          </ul>
        </details>
      )}
      {!agent && page && <SessionActions source={source} id={of.id} page={page} model={model} />}
    </header>
  );
}

function firstPrompt({ model }: ShownSession): string | undefined {
  const way = upFrom(model.active);
  return way.find(({ isPrompt }) => isPrompt)?.rows[0]?.parts[0]?.label;
}

/** The end of the conversation, shown before the index is there. */
function Tail({ source, of, shown }: { source: Source; of: Of; shown: ShownSession }): VNode {
  const { tail, model } = shown;
  const props = {
    source,
    of,
    model,
    row: null,
    others: new Map(),
    agents: [],
    isChosen: false,
    choose: () => {},
    openAgent: () => {},
  };
  return (
    <div
      class="conversation"
      ref={(box) => box?.scrollTo(0, box.scrollHeight)}
      tabIndex={0}
      role="region"
      aria-label="conversation"
    >
      <div>
        {tail.map((item, at) => (
          <EntryView key={at} {...props} item={item} />
        ))}
      </div>
    </div>
  );
}
