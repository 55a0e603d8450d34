import { namesProblem } from '../../define/tool-name.ts';
import { kindOf } from '../../util/checks.ts';
import { isFilled, isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { badOption, checkNamed } from '../../wire/check-named.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { Transport } from '../../wire/link/transport.ts';
import { userMessage } from '../user-message.ts';
import { mistypedNames } from './mistyped-names.ts';
import { OPTION_CHECKS } from './option-checks.ts';
import type { GivenOptions } from './options.ts';
import { programTools } from './tools-of-program.ts';

/** Throws for an empty prompt, which would get an empty answer. */
export function checkPrompt(prompt: unknown): void {
  if (isStream(prompt) || isFilled(prompt)) return;
  throw badOption(
    'prompt',
    `prompt must be a text that is not empty, or an async iterable of texts and user messages, got ${isSet(prompt)}`,
  );
}

/** A transport of the program may be any value, so it is checked. */
export function checkTransport(given: Transport): Transport {
  const methods = ['connect', 'write', 'readMessages', 'endInput', 'close', 'isReady'];
  const missing = methods.filter((name) => typeof (given as unknown as JsonObject | undefined)?.[name] !== 'function');
  if (missing.length === 0) return given;
  const what = `options.transport must return a Transport; it has no ${missing.join(', ')}`;
  throw badOption('transport', `${what}. For an engine in this process: transport: inProcess(engine)`);
}

/** Describes a wrong prompt, with a hint for the usual mistakes. */
function isSet(prompt: unknown): string {
  if (prompt === undefined) return "undefined: query({ prompt: '…' })";
  if (typeof prompt === 'string') return 'a text that says nothing';
  return Array.isArray(prompt) ? 'an array: give an async generator that yields its items' : kindOf(prompt);
}

/**
 * Checks an item of a prompt stream and returns the line to send. `position` is 1-based. Throws `invalid_option` that
 * names the item.
 */
export function checkInput(item: unknown, position: number): JsonObject {
  if (isFilled(item)) return userMessage(item);
  if (isObject(item) && typeof item.type === 'string') return item;
  const kind = isObject(item)
    ? "an object without a 'type'"
    : typeof item === 'string'
      ? 'a text that says nothing'
      : kindOf(item);
  const expected = "a text, or { type: 'user', message: { role: 'user', content: '…' } }";
  throw badOption('prompt', `Item ${position} of the prompt stream is ${kind}; expected ${expected}`);
}

/** The error for an item that JSON cannot represent: a BigInt, an object within itself. */
export function unsendable(cause: unknown, position: number): HeddleError {
  return badOption('prompt', `Item ${position} of the prompt stream cannot be sent: ${messageOf(cause)}`, cause);
}

/** Checks the caller's options, before anything starts. Throws `invalid_option` that names the option. */
export function checkOptions(options: GivenOptions): void {
  checkNamed(options, OPTION_CHECKS, {
    before: 'options.',
    noObject: (kind) => `options must be an object, got ${kind}`,
    unknown: (name, meant) => `There is no option '${name}'${hint(name, meant)}`,
  });
  for (const [option, message] of contradictions(options)) throw badOption(option, message);
  for (const [option, message] of mistypedNames(options)) throw badOption(option, message);
}

/** Checks the parameters of `query`. Some callers pass only a prompt. */
export function checkParameters(raw: unknown): void {
  if (isObject(raw)) return;
  const right = typeof raw === 'string' ? `query({ prompt: ${JSON.stringify(raw.slice(0, 40))} })` : USUAL;
  throw badOption('prompt', `query takes an object, got ${kindOf(raw)}: ${right}`);
}

const USUAL = "query({ prompt: '…', options: {} })";

/** Options that are valid alone, but not together. */
function* contradictions(options: GivenOptions): Generator<[option: keyof GivenOptions, message: string], void> {
  if (options.permissionMode === 'bypassPermissions' && !options.allowDangerouslySkipPermissions) {
    yield ['permissionMode', "permissionMode 'bypassPermissions' needs allowDangerouslySkipPermissions: true"];
  }
  if (options.sessionId && (options.resume || options.continue) && !options.forkSession) {
    yield ['sessionId', 'sessionId can be given with resume or continue only together with forkSession: true'];
  }
  if ((options.forkSession || options.resumeSessionAt) && !options.resume && !options.continue) {
    const name = options.forkSession ? 'forkSession' : 'resumeSessionAt';
    yield [name, `${name} needs resume or continue: which session is meant?`];
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

function hint(name: string, meant: string | null): string {
  if (Object.hasOwn(OTHER_WORDS, name)) return `: ${OTHER_WORDS[name]}`;
  return meant ? `; did you mean '${meant}'?` : ' in this version; docs/sdk.md lists all of them';
}

/** Option names of other libraries, with the names here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  signal: 'to cancel from outside, give an AbortController as abortController',
  apiKey: 'set ANTHROPIC_API_KEY in env, or run heddle auth login',
  baseURL: 'set ANTHROPIC_BASE_URL in env',
  timeout: 'maxDurationMs limits a turn, in milliseconds',
  system: 'the option is systemPrompt',
  schema: 'the option is outputFormat',
  prompt: 'it stands beside options: query({ prompt, options })',
  workingDirectory: 'the option is cwd',
  onStderr: 'the option is stderr',
};
