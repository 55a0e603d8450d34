import { isObject, type JsonObject } from '../../util/json.ts';

/** A request in the form in which it is compared: settings and messages as JSON with sorted keys. */
export interface ComparableRequest {
  settings: string;
  messages: readonly string[];
}

/** JSON that is equal for equal values, independent of the order of keys. */
export function comparableJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

export function isSameRequest(a: ComparableRequest, b: ComparableRequest): boolean {
  if (a.settings !== b.settings || a.messages.length !== b.messages.length) return false;
  return a.messages.every((message, at) => message === b.messages[at]);
}

/** The first difference, for people: its path, then the recorded lines with `-` and those of this run with `+`. */
export function describeDifference(recorded: ComparableRequest, sent: ComparableRequest): string {
  const { where, before, after } = findDifference(recorded, sent);
  return [`First difference (- recorded, + this run), in ${where}:`, ...diffLines(textOf(before), textOf(after))].join(
    '\n',
  );
}

interface Difference {
  where: string;
  before: unknown;
  after: unknown;
}

function findDifference(recorded: ComparableRequest, sent: ComparableRequest): Difference {
  if (recorded.settings !== sent.settings) {
    const { path, before, after } = descend(JSON.parse(recorded.settings), JSON.parse(sent.settings));
    return { where: path.join('.') || 'settings', before, after };
  }
  const length = Math.max(recorded.messages.length, sent.messages.length);
  const at = [...Array(length).keys()].find((n) => recorded.messages[n] !== sent.messages[n]) ?? 0;
  const [old, now] = [recorded, sent].map(({ messages }) => parsed(messages[at]));
  const { path, before, after } = descend(old, now);
  return { where: positionInMessage(at, path, now ?? old), before, after };
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json);
}

/** Follows the first difference down to values that have no parts. */
function descend(before: unknown, after: unknown): { path: string[]; before: unknown; after: unknown } {
  const [old, now] = [partsOf(before), partsOf(after)];
  if (!old || !now) return { path: [], before, after };
  const key = [...new Set([...Object.keys(old), ...Object.keys(now)])].find(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );
  if (key === undefined) return { path: [], before, after };
  const deeper = descend(old[key], now[key]);
  return { ...deeper, path: [key, ...deeper.path] };
}

function partsOf(value: unknown): JsonObject | null {
  if (Array.isArray(value)) return { ...value };
  return isObject(value) ? value : null;
}

function positionInMessage(at: number, path: readonly string[], message: unknown): string {
  const role = isObject(message) ? ` (${String(message.role)})` : '';
  const [content, block, ...rest] = path;
  if (content !== 'content' || block === undefined) return [`message ${at + 1}${role}`, ...path].join(', ');
  const blocks = isObject(message) && Array.isArray(message.content) ? message.content : [];
  const type = isObject(blocks[Number(block)]) ? ` (${String(blocks[Number(block)].type)})` : '';
  return [`message ${at + 1}${role}`, `block ${Number(block) + 1}${type}`, ...rest].join(', ');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

function textOf(value: unknown): string {
  if (value === undefined) return '(nothing)';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

const CONTEXT_LINES = 2;
/** For each side; with the context and the frame a message stays below forty lines. */
const SHOWN_LINES = 14;
const SHOWN_CHARS = 160;

function diffLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const start = sharedStart(old, now);
  const shared = Math.min(old.length, now.length) - start;
  const tail = Math.min(shared, sharedStart(old.toReversed(), now.toReversed()));
  // Long lines are shown around the column where the first pair of them differs.
  const column = sharedStart([...(old[start] ?? '')], [...(now[start] ?? '')]);
  return [
    ...old.slice(Math.max(0, start - CONTEXT_LINES), start).map((line) => `    ${cut(line, 0)}`),
    ...sideLines('-', old.slice(start, old.length - tail), column),
    ...sideLines('+', now.slice(start, now.length - tail), column),
  ];
}

function sideLines(sign: string, lines: readonly string[], column: number): string[] {
  const shown = lines.slice(0, SHOWN_LINES).map((line, at) => `  ${sign} ${cut(line, at === 0 ? column : 0)}`);
  const missing = lines.length - shown.length;
  return missing > 0 ? [...shown, `  ${sign} … (${missing} more lines)`] : shown;
}

function sharedStart(a: readonly string[], b: readonly string[]): number {
  const end = a.findIndex((item, at) => item !== b[at]);
  return end < 0 ? a.length : end;
}

function cut(line: string, column: number): string {
  if (line.length <= SHOWN_CHARS) return line;
  const from = Math.max(0, Math.min(column - SHOWN_CHARS / 4, line.length - SHOWN_CHARS));
  const end = from + SHOWN_CHARS;
  return `${from > 0 ? '…' : ''}${line.slice(from, end)}${end < line.length ? '…' : ''}`;
}
