import { isObject, type JsonObject } from '../util/json.ts';
import { isCall } from './events.ts';
import type { Hook, HookSource } from './hook.ts';
import type { Matches } from './matcher.ts';

/** Where a hook stands, and where to say what is wrong with it. */
export interface Reading {
  problems: string[];
  /** Says that a hook is not there, and why. */
  lose(problem: string): [];
  place: string;
}

/** What the hooks of a group have in common. */
export interface Common {
  event: string;
  matcher: string;
  matches: Matches;
  source: HookSource;
  group: JsonObject;
}

/** Reads an entry of `hooks`, of any kind. One that cannot be read is said and left out. */
export function readHook(hook: unknown, common: Common, reading: Reading): Hook[] {
  const { problems, lose, place } = reading;
  if (!isObject(hook)) return lose(`${place} must be an object`);
  const read = kindOf(hook);
  if (typeof read === 'string') return lose(`${place}${read}`);
  for (const field of UNKNOWN_FIELDS.filter((name) => hook[name] !== undefined)) {
    problems.push(`${place}.${field} does nothing in this version; the hook runs without it`);
  }
  return [{ ...read, ...hookFacts(common, hook, reading, USUAL_TIMEOUT_S[read.kind]) } as Hook];
}

/** Of the reference, and of weight: whoever writes one of them must hear that it is not minded. */
const UNKNOWN_FIELDS = ['args'];

const DEFAULT_TIMEOUT_S = 60;
/** Other kinds than these have a minute. */
const USUAL_TIMEOUT_S: Readonly<Partial<Record<Hook['kind'], number>>> = { prompt: 30 };

type Own<H> = H extends Hook ? Omit<H, keyof ReturnType<typeof hookFacts>> : never;

/** What is special to the kind, or what is wrong, to be read behind the hook's place. */
function kindOf(hook: JsonObject): Own<Hook> | string {
  const { type } = hook;
  switch (type) {
    case 'command':
      return isFilled(hook.command) ? commandOf(hook, hook.command) : '.command must be a text';
    case 'http':
      return httpOf(hook);
    case 'prompt':
    case 'agent':
      return isFilled(hook.prompt)
        ? { kind: type, prompt: hook.prompt, model: isFilled(hook.model) ? hook.model : null }
        : '.prompt must be a text';
    case 'mcp_tool':
      return mcpToolOf(hook);
    default:
      return `: there are no hooks of type ${JSON.stringify(type)}; use "command", "http", "prompt", "agent" or "mcp_tool"`;
  }
}

function commandOf({ async, asyncRewake }: JsonObject, command: string): Own<Hook> {
  const rewakes = asyncRewake === true;
  return { kind: 'command', command, isAsync: rewakes || async === true, rewakes };
}

function httpOf({ url, headers = {}, allowedEnvVars = [] }: JsonObject): Own<Hook> | string {
  if (!isFilled(url) || !isWebAddress(url)) return '.url must be an http or https address';
  if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === 'string')) {
    return '.headers must be an object of texts';
  }
  if (!Array.isArray(allowedEnvVars) || !allowedEnvVars.every((name) => typeof name === 'string')) {
    return '.allowedEnvVars must be a list of names';
  }
  return { kind: 'http', url, headers: headers as Record<string, string>, allowedEnvVars };
}

function mcpToolOf({ server, tool, input = {} }: JsonObject): Own<Hook> | string {
  if (!isFilled(server)) return '.server must be the name of an MCP server';
  if (!isFilled(tool)) return '.tool must be the name of a tool';
  return isObject(input) ? { kind: 'mcp_tool', server, tool, input } : '.input must be an object';
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

/** Words for what becomes of an action when a hook that was to judge it fails, as hosts and settings have them. */
const ON_FAILURE = { block: 'block', ignore: 'ignore', continue: 'ignore' } as const;

/** What every hook has. */
export function hookFacts(
  { group, ...common }: Common,
  hook: JsonObject,
  { problems, place }: Omit<Reading, 'lose'>,
  usual = DEFAULT_TIMEOUT_S,
) {
  const seconds = hook.timeout ?? group.timeout ?? usual;
  const isTime = typeof seconds === 'number' && seconds > 0;
  if (!isTime) problems.push(`${place}: the timeout must be a number of seconds; ${usual} are used`);
  const onFailure = hook.onFailure ?? group.onFailure ?? null;
  const isKnown = onFailure === null || Object.hasOwn(ON_FAILURE, String(onFailure));
  if (!isKnown) problems.push(`${place}: onFailure must be "block" or "continue"; "block" is used`);
  return {
    ...common,
    condition: conditionOf(hook.if, common.event, { problems, place }),
    isOnce: hook.once === true,
    timeoutMs: (isTime ? seconds : usual) * 1000,
    onFailure: onFailure === null ? null : ON_FAILURE[isKnown ? (onFailure as keyof typeof ON_FAILURE) : 'block'],
  };
}

/** What is no rule at all is said, and counts as none: whoever guards something goes on to do so. */
function conditionOf(given: unknown, event: string, { problems, place }: Omit<Reading, 'lose'>): string | null {
  if (given === undefined) return null;
  if (!isFilled(given)) {
    problems.push(`${place}.if must be a permission rule; the hook runs without it`);
    return null;
  }
  if (!isCall(event)) problems.push(`${place}.if: ${event} is no call of a tool, so this hook is never asked`);
  return given;
}
