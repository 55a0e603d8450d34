import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import { PERMISSION_MODE_CHOICES } from '../wire/flags.ts';
import type { Options } from './options.ts';

type Check = (value: unknown) => string | null;

const text: Check = (value) => (typeof value === 'string' ? null : 'a string');
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
const callback: Check = (value) => (typeof value === 'function' ? null : 'a function');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? null : 'an array of strings';
const count: Check = (value) => (Number.isInteger(value) && (value as number) > 0 ? null : 'a whole number above 0');
const amount: Check = (value) => (typeof value === 'number' && value > 0 ? null : 'a number above 0');
const record: Check = (value) => (isObject(value) ? null : 'an object');
const flagValues: Check = (value) => {
  if (!isObject(value)) return 'an object';
  const wrong = Object.entries(value).find(([, item]) => typeof item !== 'string' && item !== null);
  if (!wrong) return null;
  return `an object of strings, with null for a flag without a value; '${wrong[0]}' is ${kindOf(wrong[1])}`;
};
const either =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value) === null) ? null : checks.map((check) => check(value)).join(' or ');
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? null : `one of ${words.join(', ')}`;

const CHECKS: Record<keyof Options, Check> = {
  abortController: (value) => (value instanceof AbortController ? null : 'an AbortController'),
  cwd: text,
  env: record,
  executable: oneOf(['node', 'bun', 'deno']),
  executableArgs: texts,
  pathToClaudeCodeExecutable: text,
  extraArgs: flagValues,
  stderr: callback,
  transport: callback,
  onError: callback,
  model: text,
  fallbackModel: text,
  effort: oneOf(['low', 'medium', 'high', 'xhigh', 'max']),
  thinking: record,
  maxThinkingTokens: (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? null : 'a whole number, 0 or above',
  maxTurns: count,
  maxBudgetUsd: amount,
  maxDurationMs: amount,
  outputFormat: (value) =>
    (record(value) ?? record((value as { schema?: unknown }).schema)) ? "{ type: 'json_schema', schema: {…} }" : null,
  betas: texts,
  systemPrompt: either(text, record),
  additionalDirectories: texts,
  tools: either(texts, record),
  allowedTools: texts,
  disallowedTools: texts,
  permissionMode: oneOf(PERMISSION_MODE_CHOICES),
  allowDangerouslySkipPermissions: flag,
  canUseTool: callback,
  settings: either(text, record),
  sandbox: record,
  settingSources: (value) =>
    Array.isArray(value) && value.every((item) => ['user', 'project', 'local'].includes(item))
      ? null
      : "an array of 'user', 'project', 'local'",
  continue: flag,
  resume: text,
  forkSession: flag,
  resumeSessionAt: text,
  sessionId: text,
  persistSession: flag,
  enableFileCheckpointing: flag,
  includePartialMessages: flag,
  toolUseSummaries: flag,
  debug: flag,
  debugFile: text,
  initializeTimeoutMs: amount,
};

/** A prompt that says nothing would be answered by nothing. */
export function checkPrompt(prompt: unknown): void {
  const isStream = typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt;
  if (isStream || (typeof prompt === 'string' && prompt.trim() !== '')) return;
  throw refuse('prompt', 'prompt must be a text that is not empty, or an async iterable of user messages');
}

/** An item of a prompt stream, as it may be sent. `position` is 1-based. Throws `invalid_option` that names the item. */
export function checkInput(item: unknown, position: number): JsonObject {
  if (isObject(item) && typeof item.type === 'string') return item;
  const kind = isObject(item) ? "an object without a 'type'" : kindOf(item);
  const expected = "{ type: 'user', message: { role: 'user', content: '…' } }";
  throw refuse('prompt', `Item ${position} of the prompt stream is ${kind}; expected a message: ${expected}`);
}

/** What becomes of an item that JSON cannot tell: a BigInt, an object within itself. */
export function unsendable(cause: unknown, position: number): HeddleError {
  return refuse('prompt', `Item ${position} of the prompt stream cannot be sent: ${messageOf(cause)}`, cause);
}

/** Checks what a caller gave, before anything is started. Throws `invalid_option` that names the option. */
export function checkOptions(options: Options): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof Options] : undefined;
    if (!check) throw refuse(name, `There is no option '${name}'${nearest(name)}`);
    const expected = check(value);
    if (expected) throw refuse(name, `options.${name} must be ${expected}`);
  }
  if (options.permissionMode === 'bypassPermissions' && !options.allowDangerouslySkipPermissions) {
    throw refuse('permissionMode', "permissionMode 'bypassPermissions' needs allowDangerouslySkipPermissions: true");
  }
  if (options.sessionId && options.resume && !options.forkSession) {
    throw refuse('sessionId', 'sessionId can be given with resume only together with forkSession: true');
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function refuse(option: string, message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option }, cause });
}

/** A hint for a name that differs only in case or by a few letters at its end. */
function nearest(name: string): string {
  const known = Object.keys(CHECKS);
  const lower = name.toLowerCase();
  const match =
    known.find((key) => key.toLowerCase() === lower) ??
    known.find((key) => commonPrefix(key.toLowerCase(), lower) >= 5);
  return match ? `; did you mean '${match}'?` : ' in this version';
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
