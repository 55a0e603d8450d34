import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { blocksOf, isConversation, isErrorAnswer } from './entry-fields.ts';
import { blockLabel, promptOf, resultText } from './entry-text.ts';

/** A piece of a conversation, as people read it. */
export type Part =
  | { kind: 'prompt'; text: string; uuid: string; at: string }
  | { kind: 'answer'; text: string; uuid: string; at: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; name: string; input: unknown; result: { text: string; isError: boolean } | null }
  | { kind: 'error'; text: string }
  /** What replaced everything before it. */
  | { kind: 'compaction'; text: string }
  /** Interrupts, what a local command said. */
  | { kind: 'note'; text: string };

/** The parts of a path of entries. A call stands with its result, wherever that came. */
export function conversationOf(path: readonly Entry[]): Part[] {
  const results = resultsOn(path);
  return path.flatMap((entry) => {
    if (isConversation(entry)) return entry.type === 'assistant' ? answerParts(entry, results) : userParts(entry);
    const content = entry.type === 'system' ? stringField(entry, 'content') : undefined;
    return content && entry.subtype !== 'compact_boundary' ? [{ kind: 'note', text: content }] : [];
  });
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

function answerParts(entry: Entry, results: ReadonlyMap<string, JsonObject>): Part[] {
  return blocksOf(entry).flatMap((block): Part[] => {
    const text = stringField(block, 'text') ?? '';
    if (isErrorAnswer(entry)) return text === '' ? [] : [{ kind: 'error', text }];
    switch (block.type) {
      case 'text':
        return text.trim() === '' ? [] : [{ kind: 'answer', text, ...identity(entry) }];
      case 'thinking':
        return stringField(block, 'thinking')?.trim() ? [{ kind: 'thinking', text: String(block.thinking) }] : [];
      case 'tool_use':
        return [callPart(block, results)];
      default:
        return [{ kind: 'note', text: blockLabel(block) }];
    }
  });
}

function callPart(block: JsonObject, results: ReadonlyMap<string, JsonObject>): Part {
  const result = results.get(stringField(block, 'id') ?? '');
  return {
    kind: 'call',
    name: stringField(block, 'name') ?? 'tool',
    input: block.input,
    result: result ? { text: resultText(result), isError: result.is_error === true } : null,
  };
}

function resultsOn(path: readonly Entry[]): Map<string, JsonObject> {
  const results = new Map<string, JsonObject>();
  for (const block of path.filter(({ type }) => type === 'user').flatMap(blocksOf)) {
    const id = stringField(block, 'tool_use_id');
    if (block.type === 'tool_result' && id !== undefined && !results.has(id)) results.set(id, block);
  }
  return results;
}

function identity(entry: Entry): { uuid: string; at: string } {
  return { uuid: stringField(entry, 'uuid') ?? '', at: stringField(entry, 'timestamp') ?? '' };
}

/** The input of a call in few words: a single text as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  if (!isObject(input)) return JSON.stringify(input) ?? '';
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(input);
}
