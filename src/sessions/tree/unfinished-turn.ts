import { isObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { answerKey, blocksOf, isConversation, isErrorAnswer, isPrompt, textOf } from '../entry-fields.ts';

/** A turn that a process left without its end. */
export interface UnfinishedTurn {
  /** The uuid of the prompt that the turn answers; null in old files without uuids. */
  promptUuid: string | null;
  /**
   * An answer that broke off in the middle: its last entry, and the entry that it follows. The model is asked again from
   * there, and the half answer stays in the file as a side branch. Null: the conversation continues from its leaf.
   */
  cutAnswer: { leaf: string; before: string } | null;
}

/**
 * Whether the conversation on a path still waits for its model: it ends with a prompt, with results of tools, with an
 * error instead of an answer, or in the middle of an answer. Null: the last answer is complete, the user stopped the
 * turn, or there is no conversation. Open calls count as unfinished: a resume settles them.
 *
 * Files of the reference do not say whether an answer is complete, so there the last answer counts as complete.
 */
export function unfinishedTurn(path: readonly Entry[]): UnfinishedTurn | null {
  const messages = withoutLocalCommands(path.filter(isConversation));
  const last = messages.at(-1);
  const promptUuid = uuidOf(messages.findLast(isPrompt));
  if (last === undefined) return null;
  const open = { promptUuid, cutAnswer: null };
  if (last.type === 'user') return startsWith(last, STOPPED) ? null : open;
  if (isErrorAnswer(last)) return open;
  const answer = messages.filter((entry) => entry === last || isSameAnswer(entry, last));
  if (answer.some((entry) => blocksOf(entry).some(({ type }) => type === 'tool_use'))) return open;
  if (stopReasonOf(last) !== null || !(saysStop(messages) || answer.every(isThought))) return null;
  const leaf = uuidOf(last);
  const before = parentOf(answer[0]);
  return { promptUuid, cutAnswer: leaf !== null && before !== null ? { leaf, before } : null };
}

/** Whether this file says of any answer why it stopped. */
function saysStop(messages: readonly Entry[]): boolean {
  return messages.some((entry) => entry.type === 'assistant' && !isErrorAnswer(entry) && stopReasonOf(entry) !== null);
}

function stopReasonOf({ message }: Entry): string | null {
  return isObject(message) && typeof message.stop_reason === 'string' ? message.stop_reason : null;
}

function isSameAnswer(entry: Entry, last: Entry): boolean {
  return entry.type === 'assistant' && answerKey(entry) !== null && answerKey(entry) === answerKey(last);
}

function isThought(entry: Entry): boolean {
  return blocksOf(entry).every(({ type }) => type === 'thinking' || type === 'redacted_thinking');
}

const STOPPED = /^\[(Request interrupted by user|The turn was stopped)/;
const OUTPUT_OF_COMMAND = /^<local-command-(stdout|stderr)>/;
const PART_OF_COMMAND = /^<(local-command-|command-name>)/;

/** Heddle answers local commands itself: those at the end say nothing about the turn before them. */
function withoutLocalCommands(messages: readonly Entry[]): readonly Entry[] {
  let end = messages.length;
  for (let last = messages[end - 1]; last && startsWith(last, OUTPUT_OF_COMMAND); last = messages[end - 1]) {
    do last = messages[--end - 1];
    while (last && startsWith(last, PART_OF_COMMAND) && !startsWith(last, OUTPUT_OF_COMMAND));
  }
  return messages.slice(0, end);
}

function startsWith(entry: Entry, pattern: RegExp): boolean {
  return entry.type === 'user' && pattern.test(textOf(entry));
}

function uuidOf(entry: Entry | undefined): string | null {
  return typeof entry?.uuid === 'string' ? entry.uuid : null;
}

function parentOf(entry: Entry | undefined): string | null {
  return typeof entry?.parentUuid === 'string' ? entry.parentUuid : null;
}
