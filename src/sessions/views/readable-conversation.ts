import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { blocksOf, isConversation, isErrorAnswer } from '../entry-fields.ts';
import { blockLabel, promptOf, resultText } from '../entry-texts.ts';

/** A part of a conversation, as people read it. */
export type Part =
  | { kind: 'prompt'; text: string; uuid: string; at: string }
  | { kind: 'answer'; text: string; uuid: string; at: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; name: string; input: unknown; result: { text: string; isError: boolean } | null }
  | { kind: 'error'; text: string }
  /** The summary that replaced everything before it. */
  | { kind: 'compaction'; text: string }
  /** Interrupts, and the output of local commands. */
  | { kind: 'note'; text: string };

/** A path of entries, some without their long texts, and a function that loads an entry as a whole. */
export interface StoredPath {
  entries: readonly Entry[];
  whole(entry: Entry): Promise<Entry>;
}

/**
 * The parts of a path, with one entry in memory at a time. A call and its result are one part, wherever the result is.
 */
export async function* conversationOf({ entries, whole }: StoredPath): AsyncGenerator<Part, void> {
  const answers = answersOn(entries);
  const resultOf = async (id: string) => {
    const entry = answers.get(id);
    return entry && resultsIn(await whole(entry)).find(({ tool_use_id }) => tool_use_id === id);
  };
  for (const each of entries) {
    const entry = await whole(each);
    if (entry.type === 'assistant' && isConversation(entry)) yield* answerParts(entry, resultOf);
    else yield* isConversation(entry) ? userParts(entry) : noteParts(entry);
  }
}

function noteParts(entry: Entry): Part[] {
  const content = entry.type === 'system' ? stringField(entry, 'content') : undefined;
  return content && entry.subtype !== 'compact_boundary' ? [{ kind: 'note', text: content }] : [];
}

function userParts(entry: Entry): Part[] {
  const prompt = promptOf(entry);
  if (prompt !== null) return [{ kind: 'prompt', text: prompt, ...identity(entry) }];
  const texts = blocksOf(entry).filter(({ type }) => type !== 'tool_result');
  const text = texts.map(blockLabel).join('\n').trim();
  if (entry.isCompactSummary === true) return [{ kind: 'compaction', text }];
  if (entry.isMeta === true || text === '') return [];
  return [{ kind: 'note', text: text.replaceAll(/<\/?local-command-\w+>/g, '').trim() }];
}

type ResultOf = (id: string) => Promise<JsonObject | undefined>;

async function* answerParts(entry: Entry, resultOf: ResultOf): AsyncGenerator<Part, void> {
  for (const block of blocksOf(entry)) {
    if (block.type === 'tool_use' && !isErrorAnswer(entry)) yield await callPart(block, resultOf);
    else yield* spokenParts(entry, block);
  }
}

function spokenParts(entry: Entry, block: JsonObject): Part[] {
  const text = stringField(block, 'text') ?? '';
  if (isErrorAnswer(entry)) return text === '' ? [] : [{ kind: 'error', text }];
  switch (block.type) {
    case 'text':
      return text.trim() === '' ? [] : [{ kind: 'answer', text, ...identity(entry) }];
    case 'thinking':
      return stringField(block, 'thinking')?.trim() ? [{ kind: 'thinking', text: String(block.thinking) }] : [];
    default:
      return [{ kind: 'note', text: blockLabel(block) }];
  }
}

async function callPart(block: JsonObject, resultOf: ResultOf): Promise<Part> {
  const result = await resultOf(stringField(block, 'id') ?? '');
  return {
    kind: 'call',
    name: stringField(block, 'name') ?? 'tool',
    input: block.input,
    result: result ? { text: resultText(result), isError: result.is_error === true } : null,
  };
}

/** For each call, the entry with its first result. */
function answersOn(path: readonly Entry[]): Map<string, Entry> {
  const answers = new Map<string, Entry>();
  for (const entry of path) {
    for (const block of entry.type === 'user' ? resultsIn(entry) : []) {
      const id = stringField(block, 'tool_use_id');
      if (id !== undefined && !answers.has(id)) answers.set(id, entry);
    }
  }
  return answers;
}

function resultsIn(entry: Entry): JsonObject[] {
  return blocksOf(entry).filter(({ type }) => type === 'tool_result');
}

function identity(entry: Entry): { uuid: string; at: string } {
  return { uuid: stringField(entry, 'uuid') ?? '', at: stringField(entry, 'timestamp') ?? '' };
}

/** The input of a call in short: a single text as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  if (!isObject(input)) return JSON.stringify(input) ?? '';
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(input);
}
