import { isFilled, isObject, isTexts, type JsonObject } from '../util/json.ts';
import { isCall } from './events.ts';
import type { Hook, HookSource } from './hook.ts';
import type { Matches } from './matcher.ts';

/** The source of a hook, and the list of problems. */
export interface ParseContext {
  problems: string[];
  /** Reports a hook that is left out, with the reason. */
  lose(problem: string): [];
  location: string;
}

/** The common fields of the hooks of a group. */
export interface HookGroup {
  event: string;
  matcher: string;
  matches: Matches;
  source: HookSource;
  group: JsonObject;
}

/** Reads an entry of `hooks`, of any kind. An invalid entry is reported and left out. */
export function readHook(hook: unknown, group: HookGroup, context: ParseContext): Hook[] {
  const { problems, lose, location } = context;
  if (!isObject(hook)) return lose(`${location} must be an object`);
  const read = kindOf(hook);
  if (typeof read === 'string') return lose(`${location}${read}`);
  for (const field of UNKNOWN_FIELDS.filter((name) => hook[name] !== undefined)) {
    problems.push(`${location}.${field} does nothing in this version; the hook runs without it`);
  }
  return [{ ...read, ...hookDetails(group, hook, context, USUAL_TIMEOUT_S[read.kind]) } as Hook];
}

/** Important fields of the reference that Heddle ignores. Their author gets a warning. */
const UNKNOWN_FIELDS = ['args'];

const DEFAULT_TIMEOUT_S = 60;
/** Other kinds have a minute. */
const USUAL_TIMEOUT_S: Readonly<Partial<Record<Hook['kind'], number>>> = { prompt: 30 };

type KindFields<H> = H extends Hook ? Omit<H, keyof ReturnType<typeof hookDetails>> : never;

/** The fields of the kind, or the problem, which is printed after the hook's location. */
function kindOf(hook: JsonObject): KindFields<Hook> | string {
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

function commandOf({ async, asyncRewake }: JsonObject, command: string): KindFields<Hook> {
  const rewakes = asyncRewake === true;
  return { kind: 'command', command, isAsync: rewakes || async === true, rewakes };
}

function httpOf({ url, headers = {}, allowedEnvVars = [] }: JsonObject): KindFields<Hook> | string {
  if (!isFilled(url) || !isWebAddress(url)) return '.url must be an http or https address';
  if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === 'string')) {
    return '.headers must be an object of texts';
  }
  if (!isTexts(allowedEnvVars)) {
    return '.allowedEnvVars must be a list of names';
  }
  return { kind: 'http', url, headers: headers as Record<string, string>, allowedEnvVars };
}

function mcpToolOf({ server, tool, input = {} }: JsonObject): KindFields<Hook> | string {
  if (!isFilled(server)) return '.server must be the name of an MCP server';
  if (!isFilled(tool)) return '.tool must be the name of a tool';
  return isObject(input) ? { kind: 'mcp_tool', server, tool, input } : '.input must be an object';
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

/** The words of hosts and settings for the effect of a failing hook. */
const ON_FAILURE = { block: 'block', ignore: 'ignore', continue: 'ignore' } as const;

/** The common fields of every hook. */
export function hookDetails(
  { group, ...common }: HookGroup,
  hook: JsonObject,
  { problems, location }: Omit<ParseContext, 'lose'>,
  usual = DEFAULT_TIMEOUT_S,
) {
  const seconds = hook.timeout ?? group.timeout ?? usual;
  const isTime = typeof seconds === 'number' && seconds > 0;
  if (!isTime) problems.push(`${location}: the timeout must be a number of seconds; ${usual} are used`);
  const onFailure = hook.onFailure ?? group.onFailure ?? null;
  const isKnown = onFailure === null || Object.hasOwn(ON_FAILURE, String(onFailure));
  if (!isKnown) problems.push(`${location}: onFailure must be "block" or "continue"; "block" is used`);
  return {
    ...common,
    condition: conditionOf(hook.if, common.event, { problems, location }),
    isOnce: hook.once === true,
    timeoutMs: (isTime ? seconds : usual) * 1000,
    onFailure: onFailure === null ? null : ON_FAILURE[isKnown ? (onFailure as keyof typeof ON_FAILURE) : 'block'],
  };
}

/** Reports a text that is not a rule and ignores it, so that the hook still guards every call. */
function conditionOf(raw: unknown, event: string, { problems, location }: Omit<ParseContext, 'lose'>): string | null {
  if (raw === undefined) return null;
  if (!isFilled(raw)) {
    problems.push(`${location}.if must be a permission rule; the hook runs without it`);
    return null;
  }
  if (!isCall(event)) problems.push(`${location}.if: ${event} is no call of a tool, so this hook is never asked`);
  return raw;
}
