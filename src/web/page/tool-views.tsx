import type { ComponentChildren, VNode } from 'preact';
import type { TreeCall } from '../tree/session-model.ts';
import { shownTime } from '../tree/shown-figures.ts';
import { LongText, Output, Picture, type TextPosition } from './long-text.tsx';
import type { EntryItem, Of, Source } from './source.ts';
import { blocksIn, type Fields, isFields, listIn, numberIn, textIn } from './values.ts';

export interface CallProps {
  source: Source;
  of: Of;
  call: TreeCall;
  item: EntryItem;
  result: EntryItem | null;
  /** The agent that works for the call, to be opened. */
  agent: { label: string; open: () => void } | null;
}

/** A call with its result: what was done, in the form that its kind asks for. */
export function CallView({ source, of, call, item, result, agent }: CallProps): VNode {
  const found = blocksIn(item.entry).find(({ block }) => textIn(block, 'id') === call.part.call);
  const input = isFields(found?.block.input) ? found.block.input : {};
  const place: TextPosition = { source, of, item, path: [...(found?.path ?? []), 'input'] };
  const name = call.part.tool ?? 'tool';
  const state = call.result ? (call.result.part.isError ? 'failed' : 'done') : 'open';
  return (
    <details class={`tool-call ${state}`} open={OPEN.has(name) || undefined}>
      <summary>
        <span class="tool">{name}</span> <span class="gist">{call.part.label}</span>
        <span class="figures">
          {state === 'failed' && <span class="bad">failed </span>}
          {state === 'open' && <span>no result </span>}
          {call.ms !== null && shownTime(call.ms)}
        </span>
      </summary>
      {agent && (
        <button type="button" class="agent" onClick={agent.open}>
          open the agent {agent.label}
        </button>
      )}
      <InputView name={name} input={input} place={place} result={result} />
      {result && <ResultView name={name} call={call} source={source} of={of} item={result} />}
    </details>
  );
}

/** Shown open: what changes something. */
const OPEN: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'TodoWrite', 'Bash']);

function InputView({
  name,
  input,
  place,
  result,
}: {
  name: string;
  input: Fields;
  place: TextPosition;
  result: EntryItem | null;
}): VNode | null {
  const at = (key: string): TextPosition => ({ ...place, path: [...place.path, key] });
  const patch = patchIn(result);
  if (patch.length > 0) return <Diff file={textIn(input, 'file_path') ?? ''} hunks={patch} />;
  if (name === 'Bash') {
    return (
      <LongText
        text={textIn(input, 'command') ?? ''}
        place={at('command')}
        draw={(text) => (
          <pre class="command" tabIndex={0} aria-label="command">
            {text}
          </pre>
        )}
      />
    );
  }
  if (name === 'TodoWrite') return <Todos todos={listIn(input, 'todos')} />;
  if (textIn(input, 'old_string') !== undefined) {
    return (
      <Diff
        file={textIn(input, 'file_path') ?? ''}
        hunks={[hunkOf(textIn(input, 'old_string') ?? '', textIn(input, 'new_string') ?? '')]}
      />
    );
  }
  return (
    <dl class="input">
      {Object.entries(input).map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>
            <LongText
              text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
              place={at(key)}
              draw={(text) => (
                <pre tabIndex={0} aria-label={key}>
                  {text}
                </pre>
              )}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/** The changes of a file as its tool has recorded them. */
export function patchIn(item: EntryItem | null): Hunk[] {
  return listIn(item?.entry.toolUseResult, 'structuredPatch')
    .filter(isFields)
    .map((hunk) => ({
      from: numberIn(hunk, 'oldStart') ?? 1,
      to: numberIn(hunk, 'newStart') ?? 1,
      lines: listIn(hunk, 'lines').map(String),
    }));
}

function hunkOf(before: string, after: string): Hunk {
  const lines = [...before.split('\n').map((line) => `-${line}`), ...after.split('\n').map((line) => `+${line}`)];
  return { from: 1, to: 1, lines };
}

export function Diff({ file, hunks }: { file: string; hunks: readonly Hunk[] }): VNode {
  const kinds: Record<string, string> = { '+': 'plus', '-': 'minus' };
  return (
    <div class="diff" tabIndex={0} role="region" aria-label={`changes of ${file}`}>
      <div class="file">{file}</div>
      {hunks.map((hunk, at) => (
        <div key={at}>
          <div class="hunk">
            @@ -{hunk.from} +{hunk.to} @@
          </div>
          {hunk.lines.slice(0, 2000).map((line, each) => (
            <div key={each} class={kinds[line[0] ?? ''] ?? ''}>
              {line === '' ? ' ' : line}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function Todos({ todos }: { todos: readonly unknown[] }): VNode {
  const marks: Record<string, string> = { completed: '☒', in_progress: '◐' };
  return (
    <ul class="todos">
      {todos.map((todo, at) => (
        <li key={at} class={textIn(todo, 'status')}>
          {marks[textIn(todo, 'status') ?? ''] ?? '☐'} {textIn(todo, 'content') ?? ''}
        </li>
      ))}
    </ul>
  );
}

function ResultView({
  name,
  call,
  source,
  of,
  item,
}: Omit<CallProps, 'result' | 'agent'> & { name: string }): VNode | null {
  const found = blocksIn(item.entry).find(({ block }) => textIn(block, 'tool_use_id') === call.part.call);
  if (!found) return null;
  const { block, path } = found;
  const place = (...way: (string | number)[]): TextPosition => ({ source, of, item, path: [...path, ...way] });
  if (QUIET.has(name) && !call.result?.part.isError) return null;
  const { content } = block;
  if (typeof content === 'string') return <Found name={name} text={content} place={place('content')} />;
  return (
    <>
      {listIn(block, 'content').map(
        (each, at): ComponentChildren => (
          <ResultBlock key={at} name={name} block={each} place={place('content', at)} />
        ),
      )}
    </>
  );
}

/** Their changes are shown above. */
const QUIET: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'TodoWrite']);

function ResultBlock({ name, block, place }: { name: string; block: unknown; place: TextPosition }): VNode {
  if (textIn(block, 'type') === 'image') return <Picture {...place} path={[...place.path, 'source', 'data']} />;
  const text = textIn(block, 'text');
  if (text === undefined) return <p class="named">[{textIn(block, 'type') ?? 'block'}]</p>;
  return <Found name={name} text={text} place={{ ...place, path: [...place.path, 'text'] }} />;
}

const GREP_LINE = /^([^\n:]{1,300}):(\d+)[:-](.*)$/;

/** What a tool has found: hits of a search as a table, all else as it is. */
function Found({ name, text, place }: { name: string; text: string; place: TextPosition }): VNode {
  const lines = name === 'Grep' ? text.split('\n') : [];
  const hits =
    lines.flatMap((line) => GREP_LINE.exec(line) ?? []).length > 0 ? lines.map((line) => GREP_LINE.exec(line)) : [];
  if (hits.length === 0 || hits.length > 500 || place.item.cuts.length > 0) return <Output text={text} place={place} />;
  return (
    <div class="table" tabIndex={0} role="region" aria-label="hits">
      <table class="hits">
        <tbody>
          {hits.map((hit, at) =>
            hit ? (
              <tr key={at}>
                <td>{hit[1]}</td>
                <td>{hit[2]}</td>
                <td>
                  <code>{hit[3]}</code>
                </td>
              </tr>
            ) : (
              <tr key={at}>
                <td colSpan={3}>{lines[at]}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
