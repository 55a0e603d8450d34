import { blocksOf, isConversation, isErrorAnswer } from '../sessions/entry-fields.ts';
import { blockLabel, promptOf } from '../sessions/entry-texts.ts';
import type { Part } from '../sessions/views/conversation-parts.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import type { Block, Change } from '../view/index.ts';
import { createViewTracker } from '../view/tracker.ts';
import type { Entry } from '../wire/entries.ts';

/** A path of entries, some without their long texts, and a function that loads an entry as a whole. */
export interface StoredPath {
  entries: readonly Entry[];
  whole(entry: Entry): Promise<Entry>;
}

/**
 * The parts of a path, as a person who watched the session would have seen them. One entry is in memory at a time, and
 * the calls that have no result yet.
 */
export async function* shownConversation({ entries, whole }: StoredPath): AsyncGenerator<Part, void> {
  const tracker = createViewTracker();
  const details = new Map<string, Details>();
  const partsOf = (changes: readonly Change[]) =>
    changes.flatMap((change) => (change.type === 'done' ? partOf(change.block, details) : []));
  for (const each of entries) {
    const entry = await whole(each);
    const { uuid, ...known } = detailsOf(entry);
    details.set(uuid, known);
    for (const line of linesOf(entry)) yield* partsOf(tracker.note(line, 0));
    if (tracker.view.live.length === 0) details.clear();
  }
  yield* partsOf(tracker.closed({ code: 0, signal: null }, 0));
}

/** What a block does not hold: when it was said, and a prompt as people read it. */
interface Details {
  at: string;
  prompt: string | null;
}

function detailsOf(entry: Entry): Details & { uuid: string } {
  const uuid = stringField(entry, 'uuid') ?? '';
  return { uuid, at: stringField(entry, 'timestamp') ?? '', prompt: promptOf(entry) };
}

/** An entry as lines of the protocol. Blocks that the view does not know are notes. */
function linesOf(entry: Entry): JsonObject[] {
  if (!isConversation(entry)) {
    const content = entry.type === 'system' ? stringField(entry, 'content') : undefined;
    return content && entry.subtype !== 'compact_boundary' ? [note(content)] : [];
  }
  if (entry.type === 'assistant') return blocksOf(entry).flatMap((block) => answerLine(entry, block));
  const { uuid, message, isMeta, isCompactSummary } = entry; // without `toolUseResult`: a list of todos is a call here
  const text = blocksOf(entry).map(blockLabel).join('\n').trim();
  if (promptOf(entry) === null && isMeta !== true && text.startsWith('<task-notification>')) return [note(text)];
  return [
    {
      type: 'user',
      uuid,
      message,
      isReplay: true,
      isSynthetic: isMeta === true,
      isCompactSummary: isCompactSummary === true,
    },
  ];
}

function answerLine(entry: Entry, block: JsonObject): JsonObject[] {
  const isError = isErrorAnswer(entry);
  const isKnown = block.type === 'text' || block.type === 'thinking' || block.type === 'tool_use';
  if (isError && stringField(block, 'text') === undefined) return [];
  if (!isKnown && !isError) return [note(blockLabel(block))];
  const id = stringField(entry.message, 'id') ?? stringField(entry, 'uuid');
  const message = { id, model: isError ? '<synthetic>' : '', content: [block] };
  return [{ type: 'assistant', uuid: entry.uuid, message, ...(isError && { error: 'unknown' }) }];
}

function note(content: string): JsonObject {
  return { type: 'system', subtype: 'informational', level: 'info', content };
}

/** A block as people read it in a list. */
function partOf(block: Block, details: ReadonlyMap<string, Details>): Part[] {
  const uuid = block.uuids[0] ?? '';
  const { at = '', prompt = null } = details.get(uuid) ?? {};
  switch (block.kind) {
    case 'prompt':
      return [{ kind: 'prompt', text: prompt ?? block.text, uuid, at }];
    case 'answer':
      return block.error === null
        ? [{ kind: 'answer', text: block.text, uuid, at }]
        : [{ kind: 'error', text: block.text }];
    case 'thought':
      return block.text.trim() === '' ? [] : [{ kind: 'thinking', text: block.text }];
    case 'call':
      return [callPart(block)];
    case 'compaction':
      return [{ kind: 'compaction', text: block.summary }];
    case 'notice':
      return [{ kind: 'note', text: block.notice.text }];
    case 'command-output':
      return [{ kind: 'note', text: commandText(block) }];
    default:
      return [];
  }
}

function callPart({ call: { name, input }, outcome, text }: Block & { kind: 'call' }): Part {
  const result = outcome === 'unknown' ? null : { text, isError: outcome !== 'done' };
  return { kind: 'call', name: name || 'tool', input, result };
}

function commandText({ command, stdout, stderr }: Block & { kind: 'command-output' }): string {
  const texts = [command === null ? '' : `! ${command}`, stdout, stderr];
  return texts.flatMap((text) => (text.trim() === '' ? [] : text.trim())).join('\n');
}
