import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, stringField } from '../../src/util/json.ts';
import type { Block, Change, View, ViewTracker } from '../../src/view/index.ts';
import { createViewTracker } from '../../src/view/index.ts';
import type { UserInput } from '../../src/wire/messages/user.ts';
import { type Recorded, recordings } from './recordings.ts';

const all = recordings();
const NOW = 1000;

function follow(tracker: ViewTracker, lines: readonly Recorded[]): Change[] {
  return lines.flatMap(({ dir, line }) => {
    if (dir === 'out') return tracker.note(line, NOW);
    if (line.type === 'user' && isObject(line.message)) return tracker.sent(line as UserInput, NOW);
    const answer = line.type === 'control_response' && isObject(line.response) ? line.response : {};
    return tracker.answered(stringField(answer, 'request_id') ?? '');
  });
}

function blocksIn(changes: readonly Change[]): Block[] {
  return changes.flatMap((change) => (change.type === 'done' ? change.block : []));
}

test('there are recordings to look at', () => {
  expect(all.length).toBeGreaterThan(200);
});

describe.each(all)('$name', ({ lines }) => {
  const tracker = createViewTracker();
  const changes = [...follow(tracker, lines), ...tracker.closed({ code: 0, signal: null }, NOW)];
  const blocks = blocksIn(changes);

  test('[TUI-05] every answer, thought, call and result is one block, in order, and nothing stays live', () => {
    expect(blocks.flatMap(wordsOf)).toEqual(expectedOf(lines));
    expect(tracker.view.live).toEqual([]);
    expect([...tracker.view.calls]).toEqual([]);
    expect(tracker.view.questions).toEqual([]);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length);
  });

  test('every prompt that was sent is a block, or still waits', () => {
    const sent = lines.flatMap(({ dir, line }) => (dir === 'in' && line.type === 'user' ? promptText(line) : []));
    const shown = blocks.flatMap((block) => (block.kind === 'prompt' ? block.text : []));
    const waiting = tracker.view.queue.map(({ text }) => text);
    expect([...shown, ...waiting].sort()).toEqual(expect.arrayContaining(sent.sort()));
  });

  test('the same lines give the same view and the same changes', () => {
    const second = createViewTracker();
    expect([...follow(second, lines), ...second.closed({ code: 0, signal: null }, NOW)]).toEqual(changes);
    expect(second.view).toEqual(tracker.view);
  });
});

/** What a block shows of the conversation itself. */
function wordsOf(block: Block): string[] {
  switch (block.kind) {
    case 'answer':
    case 'thought':
      return block.broken === null ? [`${block.kind} ${block.text}`] : [];
    case 'call':
      return [`call ${block.call.id}`];
    case 'todos':
      return ['todos'];
    case 'result':
      return [`result ${block.subtype}`];
    default:
      return [];
  }
}

/** Read from the lines without the view. */
function expectedOf(lines: readonly Recorded[]): string[] {
  const todos = new Set(lines.flatMap(({ line }) => todoResults(line)));
  return lines.flatMap(({ dir, line }) => {
    if (dir === 'in' || typeof line.parent_tool_use_id === 'string') return [];
    if (line.type === 'result') return [`result ${line.subtype}`];
    if (line.type !== 'assistant' || line.local_command_source !== undefined) return [];
    return contentOf(line).flatMap((block) => {
      if (block.type === 'tool_use') return [todos.has(block.id) ? 'todos' : `call ${block.id}`];
      if (block.type === 'thinking') return [`thought ${block.thinking}`];
      return block.type === 'text' && String(block.text).trim() !== '' ? [`answer ${block.text}`] : [];
    });
  });
}

function todoResults(line: JsonObject): unknown[] {
  const data = isObject(line.tool_use_result) ? line.tool_use_result : {};
  const isAboutTodos =
    Array.isArray(data.newTodos) || (isObject(data.task) && 'subject' in data.task) || 'taskId' in data;
  return isAboutTodos || Array.isArray(data.tasks) ? contentOf(line).map(({ tool_use_id }) => tool_use_id) : [];
}

function contentOf({ message }: JsonObject): JsonObject[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function promptText(line: JsonObject): string[] {
  const content = isObject(line.message) ? line.message.content : undefined;
  if (typeof content === 'string') return [content.trim()];
  const texts = contentOf(line).flatMap(({ text }) => (typeof text === 'string' ? text : []));
  return Array.isArray(content) ? [texts.join('\n').trim()] : [];
}

/** A cut at any line: the conversation up to it is replayed, as `--replay-history` does, and the rest is watched. */
test('[TUI-07] who joins after a replay sees the same as who watched from the beginning', () => {
  for (const { name, lines } of all) {
    for (const cut of cutsOf(lines)) {
      const watched = createViewTracker();
      follow(watched, lines);
      const joined = createViewTracker();
      follow(joined, [...replayOf(lines.slice(0, cut)), ...lines.slice(cut)]);
      expect(comparable(joined.view), `${name}, cut at line ${cut}`).toEqual(comparable(watched.view));
    }
  }
});

/** A run that goes on begins with an `init`, and ends with a result. */
function cutsOf(lines: readonly Recorded[]): number[] {
  const inits = lines.flatMap(({ line }, at) => (line.subtype === 'init' ? [at] : []));
  const last = lines.findLastIndex(({ line }) => line.type === 'result');
  return inits.filter((at) => at > 0 && at < last);
}

function replayOf(lines: readonly Recorded[]): Recorded[] {
  return lines.flatMap(({ dir, line }) => {
    if (dir === 'in') return line.type === 'user' ? [{ dir: 'out' as const, line: { ...line, isReplay: true } }] : [];
    const isOwn = typeof line.parent_tool_use_id !== 'string' && line.isReplay !== true;
    return isOwn && (line.type === 'user' || line.type === 'assistant') ? [{ dir, line }] : [];
  });
}

/** Prompts without a uuid have no lifecycle: only the host that sent them knows that they wait. */
function comparable({ live: _live, queue, ...view }: View) {
  return { ...view, queue: queue.filter(({ uuid }) => uuid !== '') };
}
