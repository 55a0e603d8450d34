import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../../sessions/indexed/row.ts';
import { RewindButton } from './node-panel.tsx';
import { Questions } from './questions.tsx';
import type { EntryItem, Source } from './source.ts';
import type { ShownSession } from './use-session.ts';
import type { Image, Turns } from './use-turns.ts';
import { blocksIn, textIn } from './values.ts';

export interface ComposerProps {
  source: Source;
  id: string;
  shown: ShownSession;
  turns: Turns;
  /** The prompt that is edited, to be sent again as a sibling. */
  edited: Row | null;
  setEdited: (row: Row | null) => void;
  /** A prompt was sent. */
  sent: () => void;
}

/** Where a person continues: a prompt at the leaf, or an earlier one again. A session of another process is only read. */
export function Composer({ source, id, shown, turns, edited, setEdited, sent }: ComposerProps): VNode {
  const [text, setText] = useState('');
  const [images, setImages] = useState<Image[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const { holder, page } = shown;
  const isElsewhere = holder !== null && !holder.here;

  useEditedText({ source, id, edited }, setText, field);

  const send = async (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    const parent = edited === null ? undefined : parentOf(edited, shown);
    try {
      await turns.prompt(text, { cwd: page?.cwd ?? null, images, ...(parent !== undefined && { parent }) });
      setText('');
      setImages([]);
      setEdited(null);
      sent();
    } catch {
      // The problem is shown, and the text stays.
    }
  };
  const cancel = () => {
    setEdited(null);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
    if (event.key === 'Escape' && edited) setEdited(null);
  };
  const onPaste = async (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) =>
      /^image\/(png|jpeg|gif|webp)$/.test(type),
    );
    if (files.length === 0) return;
    event.preventDefault();
    const read = await Promise.all(files.map(async (file) => ({ type: file.type, data: await base64Of(file) })));
    setImages([...images, ...read]);
  };
  return (
    <div class="composer">
      <Questions turns={turns} />
      {turns.problem !== null && (
        <p class="problem" role="alert">
          {turns.problem}
        </p>
      )}
      {isElsewhere ? (
        <p class="note">
          Process {holder.pid} on {holder.host} works on this session: it is only shown here.
        </p>
      ) : (
        <form onSubmit={send}>
          {edited && (
            <p class="edited">
              The prompt is sent again beside the earlier one, which stays.{' '}
              {edited.hasCheckpoint && <RewindButton source={source} base={`/v1/home/sessions/${id}`} row={edited} />}{' '}
              <button type="button" onClick={cancel}>
                cancel
              </button>
            </p>
          )}
          <textarea
            ref={field}
            rows={Math.min(8, Math.max(2, text.split('\n').length))}
            value={text}
            placeholder={turns.isRunning ? 'a further message' : 'a prompt; Enter sends it'}
            aria-label="prompt"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          <div class="send">
            {images.length > 0 && (
              <span class="note">{images.length === 1 ? 'one image' : `${images.length} images`}</span>
            )}
            {turns.isRunning && (
              <span class="note" role="status">
                working …
              </span>
            )}
            {turns.isRunning && (
              <button type="button" class="stop" onClick={() => turns.interrupt().catch(() => {})}>
                stop
              </button>
            )}
            <button type="submit" class="main" disabled={text.trim() === ''}>
              {edited ? 'resend' : 'send'}
            </button>
          </div>
        </form>
      )}
    </div>
  );
}

/** Puts the text of a prompt that is edited into the field. */
function useEditedText(
  { source, id, edited }: Pick<ComposerProps, 'source' | 'id' | 'edited'>,
  setText: (text: string) => void,
  field: { current: HTMLTextAreaElement | null },
): void {
  useEffect(() => {
    if (!edited) return;
    field.current?.focus();
    let isGone = false;
    source.entries({ id }, [edited.n]).then(
      async ([item]) => {
        const whole = item ? await promptText(source, id, item) : '';
        if (!isGone) setText(whole);
      },
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [edited?.n]);
}

/** The message below which the edited prompt goes; null: it becomes another beginning. */
function parentOf(edited: Row, { model }: ShownSession): string | null {
  const parent = edited.parent === undefined ? undefined : model.rows[edited.parent];
  return parent?.id ?? null;
}

async function promptText(source: Source, id: string, item: EntryItem): Promise<string> {
  const texts: string[] = [];
  for (const { block, path } of blocksIn(item.entry)) {
    const text = textIn(block, 'text');
    if (text === undefined) continue;
    const way = path.length === 3 && path[2] === 'text' ? ['message', 'content'] : [...path, 'text'];
    const isCut = item.cuts.some((cut) => cut.path.join() === way.join());
    texts.push(isCut && item.n !== undefined ? await source.text({ id }, item.n, way) : text);
  }
  return texts.join('\n');
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
