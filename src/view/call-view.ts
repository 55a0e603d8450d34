import { isObject, type JsonObject } from '../util/json.ts';
import type { CallView } from './blocks.ts';
import { numberField, textField } from './line-fields.ts';

/** A call as its `tool_use` block tells of it. */
export function callOf(block: JsonObject, { parent = null, now = 0 }: { parent?: string | null; now?: number } = {}) {
  const call: CallView = {
    id: textField(block, 'id'),
    name: textField(block, 'name'),
    subject: subjectOf(block.input),
    input: isObject(block.input) ? block.input : {},
    parent,
    startedAt: now,
    progress: { done: null, total: null, message: '', tail: '' },
    agent: null,
  };
  return call;
}

/** The fields that describe a call best; they win over any other text. */
const TELLING = ['command', 'file_path', 'notebook_path', 'description', 'pattern', 'url', 'query', 'skill'];

/** More than any terminal shows on a line; a command can be megabytes long. */
const MAX_SUBJECT = 400;

/** The main argument of a call. */
export function subjectOf(input: unknown): string {
  if (!isObject(input)) return '';
  const key = TELLING.find((name) => typeof input[name] === 'string');
  const text = key === undefined ? Object.values(input).find((value) => typeof value === 'string') : input[key];
  return typeof text === 'string' ? text.slice(0, MAX_SUBJECT) : '';
}

const MAX_TAIL = 4000;

/** Takes a `tool_progress` line about the call. */
export function noteProgress({ progress }: CallView, line: JsonObject): boolean {
  const done = numberField(line, 'progress');
  const message = textField(line, 'message');
  if (done !== null) {
    progress.done = done;
    progress.total = numberField(line, 'total');
  }
  if (message !== '') {
    progress.message = message;
    progress.tail = message.slice(-MAX_TAIL);
  }
  return done !== null || message !== '';
}
