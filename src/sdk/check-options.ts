import { namesProblem } from '../define/tool-name.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { nearestWord } from '../util/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import { kindOf } from './checks.ts';
import { OPTION_CHECKS } from './option-checks.ts';
import type { GivenOptions } from './options.ts';
import { programTools } from './program-tools.ts';
import { userMessage } from './user-message.ts';

/** A prompt that says nothing would be answered by nothing. */
export function checkPrompt(prompt: unknown): void {
  if (isStream(prompt) || (typeof prompt === 'string' && prompt.trim() !== '')) return;
  throw refuse('prompt', 'prompt must be a text that is not empty, or an async iterable of texts and user messages');
}

/** An item of a prompt stream, as it may be sent. `position` is 1-based. Throws `invalid_option` that names the item. */
export function checkInput(item: unknown, position: number): JsonObject {
  if (typeof item === 'string' && item.trim() !== '') return userMessage(item);
  if (isObject(item) && typeof item.type === 'string') return item;
  const kind = isObject(item)
    ? "an object without a 'type'"
    : typeof item === 'string'
      ? 'a text that says nothing'
      : kindOf(item);
  const expected = "a text, or { type: 'user', message: { role: 'user', content: '…' } }";
  throw refuse('prompt', `Item ${position} of the prompt stream is ${kind}; expected ${expected}`);
}

/** What becomes of an item that JSON cannot tell: a BigInt, an object within itself. */
export function unsendable(cause: unknown, position: number): HeddleError {
  return refuse('prompt', `Item ${position} of the prompt stream cannot be sent: ${messageOf(cause)}`, cause);
}

/** Checks what a caller gave, before anything is started. Throws `invalid_option` that names the option. */
export function checkOptions(options: GivenOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(OPTION_CHECKS, name) ? OPTION_CHECKS[name as keyof GivenOptions] : undefined;
    if (!check) throw refuse(name, `There is no option '${name}'${hint(name)}`);
    const expected = check(value);
    if (expected) throw refuse(name, `options.${name} must be ${expected}`);
  }
  for (const [option, message] of contradictions(options)) throw refuse(option, message);
}

/** Options that are fine by themselves, but not together. */
function* contradictions(options: GivenOptions): Generator<[option: keyof GivenOptions, message: string], void> {
  if (options.permissionMode === 'bypassPermissions' && !options.allowDangerouslySkipPermissions) {
    yield ['permissionMode', "permissionMode 'bypassPermissions' needs allowDangerouslySkipPermissions: true"];
  }
  if (options.sessionId && (options.resume || options.continue) && !options.forkSession) {
    yield ['sessionId', 'sessionId can be given with resume or continue only together with forkSession: true'];
  }
  if (options.canUseTool && options.permissionPromptToolName) {
    yield ['permissionPromptToolName', 'permissionPromptToolName and canUseTool exclude each other: one decides'];
  }
  if (options.fallbackModel && options.fallbackModel === options.model) {
    yield ['fallbackModel', 'fallbackModel must be another model than model'];
  }
  if (options.sessionStore && options.persistSession === false) {
    yield ['sessionStore', 'sessionStore keeps the session, and persistSession: false keeps none'];
  }
  if (options.supportedDialogKinds?.length && !options.onUserDialog) {
    yield ['supportedDialogKinds', 'supportedDialogKinds needs onUserDialog, which shows these dialogs'];
  }
  const names = namesProblem(programTools(options.tools).map(({ name }) => name));
  if (names !== null) yield ['tools', names];
  for (const [ours, theirs] of ALIASES) {
    if (options[ours] !== undefined && options[theirs] !== undefined && options[ours] !== options[theirs]) {
      yield [ours, `${ours} and ${theirs} are one option with two names, and have two values`];
    }
  }
}

const ALIASES = [
  ['pathToHeddleExecutable', 'pathToClaudeCodeExecutable'],
  ['spawn', 'spawnClaudeCodeProcess'],
] as const;

export function isStream(prompt: unknown): prompt is AsyncIterable<unknown> {
  return typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt;
}

function refuse(option: string, message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option }, cause });
}

/** The option that was probably meant: `permision_mode` is `permissionMode`. */
function hint(name: string): string {
  const match = nearestWord(name.replaceAll('_', ''), Object.keys(OPTION_CHECKS));
  return match ? `; did you mean '${match}'?` : ' in this version';
}
