import type { Finding } from '../../../src/sessions/tree/tree.ts';
import type { Entry } from '../../../src/wire/entries.ts';

/** One session file that something has happened to. */
export interface DamageCase {
  name: string;
  /** The file. Made when it is needed: some are large. */
  make(): Buffer;
  /** The texts that the next request holds, in this order and once each: all that is still in the file. */
  kept: readonly string[];
  /** Texts of the file that are not sent: other branches, subagents, what a summary stands for. */
  left?: readonly string[];
  /** What is said aloud; nothing for a file with nothing wrong in it. */
  said?: readonly Finding['kind'][];
  /** What is wrong is what a summary stands for, which a resume need not read. */
  isBeforeSummary?: true;
  /** Calls that nothing in the file answers. */
  interrupted?: number;
}

/** The session id of every file; its folder is up to whoever stores it. */
export const SESSION = '0da3a6ed-0000-4000-8000-000000000001';

type Fields = { [key: string]: unknown };

export function prompt(uuid: string, parentUuid: string | null, content: unknown, fields: Fields = {}): Entry {
  return { ...envelope(uuid, parentUuid), type: 'user', message: { role: 'user', content }, ...named(uuid), ...fields };
}

/** One block of the answer `id`. */
export function block(
  uuid: string,
  parentUuid: string | null,
  id: string,
  content: object,
  fields: Fields = {},
): Entry {
  const usage = { input_tokens: 3, output_tokens: 5 };
  const message = { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [content], usage };
  return {
    ...envelope(uuid, parentUuid),
    message,
    requestId: `req_${id}`,
    type: 'assistant',
    ...named(uuid),
    ...fields,
  };
}

export function outcome(uuid: string, caller: string, callId: string, content: unknown, fields: Fields = {}): Entry {
  const result = { type: 'tool_result', tool_use_id: callId, content };
  return prompt(uuid, caller, [result], {
    toolUseResult: { stdout: content },
    sourceToolAssistantUUID: caller,
    ...fields,
  });
}

export function answer(uuid: string, parentUuid: string | null, said: string, fields: Fields = {}): Entry {
  return block(uuid, parentUuid, `msg_${uuid}`, text(said), fields);
}

export function progress(uuid: string, parentUuid: string): Entry {
  const data = { type: 'hook_progress', hookEvent: 'PostToolUse' };
  return { ...envelope(uuid, parentUuid), type: 'progress', data, ...named(uuid) };
}

export function boundary(uuid: string, logicalParentUuid: string): Entry {
  const compactMetadata = { trigger: 'auto', preTokens: 100_000 };
  const fields = { type: 'system', subtype: 'compact_boundary', content: 'Compacted', isMeta: false, compactMetadata };
  return { ...envelope(uuid, null), logicalParentUuid, ...fields, ...named(uuid) };
}

export function summary(uuid: string, parentUuid: string, content: string): Entry {
  return prompt(uuid, parentUuid, content, { isVisibleInTranscriptOnly: true, isCompactSummary: true });
}

export function text(said: string): object {
  return { type: 'text', text: said };
}

export function call(id: string, input: unknown = { command: `run ${id}` }): object {
  return { type: 'tool_use', id, name: 'Bash', input };
}

export function thought(fields: Fields = { signature: 'c2lnbmF0dXJl' }): object {
  return { type: 'thinking', thinking: 'Hm.', ...fields };
}

/** A turn: `p1` asks; `h1` thinks, `s1` speaks, `a1` and `b1` call; `ra1` and `rb1` answer; `z1` is the last word. */
export function turn(n: number, parentUuid: string | null): Entry[] {
  return [
    prompt(`p${n}`, parentUuid, `ask-${n}`),
    block(`h${n}`, `p${n}`, `msg_${n}`, thought()),
    block(`s${n}`, `h${n}`, `msg_${n}`, text(`say-${n}`)),
    block(`a${n}`, `s${n}`, `msg_${n}`, call(`toolu_a${n}`)),
    block(`b${n}`, `a${n}`, `msg_${n}`, call(`toolu_b${n}`)),
    outcome(`ra${n}`, `a${n}`, `toolu_a${n}`, `out-a${n}`),
    outcome(`rb${n}`, `b${n}`, `toolu_b${n}`, `out-b${n}`),
    answer(`z${n}`, `rb${n}`, `done-${n}`),
  ];
}

/** What a turn says, in the order of the request. */
export function wordsOf(n: number): string[] {
  return [`ask-${n}`, `say-${n}`, `out-a${n}`, `out-b${n}`, `done-${n}`];
}

/** Three turns, one after the other. */
export function story(): Entry[] {
  return [...turn(1, null), ...turn(2, 'z1'), ...turn(3, 'z2')];
}

export const ALL = [1, 2, 3].flatMap(wordsOf);

export function without(...words: string[]): string[] {
  return ALL.filter((word) => !words.includes(word));
}

export function file(entries: readonly Entry[]): Buffer {
  return Buffer.from(entries.map(lineOf).join(''));
}

export function lineOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** The story with some entries changed. */
export function changed(changes: Record<string, Fields>, entries: readonly Entry[] = story()): Entry[] {
  return entries.map((entry) => ({ ...entry, ...changes[String(entry.uuid)] }));
}

/** The story without some entries. */
export function cutOut(uuids: readonly string[], entries: readonly Entry[] = story()): Entry[] {
  return entries.filter(({ uuid }) => !uuids.includes(String(uuid)));
}

/** The story up to an entry. */
export function until(uuid: string, entries: readonly Entry[] = story()): Entry[] {
  return entries.slice(0, entries.findIndex((entry) => entry.uuid === uuid) + 1);
}

function envelope(_uuid: string, parentUuid: string | null): Fields {
  const facts = { userType: 'external', cwd: '/w/loom', sessionId: SESSION, version: '2.1.44', gitBranch: 'main' };
  return { parentUuid, isSidechain: false, ...facts };
}

function named(uuid: string): Fields {
  return { uuid, timestamp: '2025-06-01T12:00:00.000Z' };
}
