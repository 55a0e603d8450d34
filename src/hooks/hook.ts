import type { JsonObject } from '../util/json.ts';
import type { Matches } from './matcher.ts';

/** Where hooks stand. */
export interface HookSource {
  /** `userSettings`, `projectSettings`, …, `plugin`, or `host` for callbacks. */
  scope: string;
  /** For people: a file, a flag, a plugin. */
  where: string;
  /** More variables for its commands, such as where the plugin lies. */
  env?: Readonly<Record<string, string>>;
}

interface HookFacts {
  readonly event: string;
  /** As it is written; empty for all. */
  readonly matcher: string;
  readonly matches: Matches;
  readonly timeoutMs: number;
  /** What a failure (crash, time-out, garbage, nobody there) means. Null: the usual for its kind. */
  readonly onFailure: 'block' | 'ignore' | null;
  /** `if`: a permission rule; only calls that it means concern the hook. Null: all do. */
  readonly condition: string | null;
  /** It is asked once in a session. */
  readonly isOnce: boolean;
  readonly source: HookSource;
}

export interface CommandHook extends HookFacts {
  readonly kind: 'command';
  readonly command: string;
  /** Started and not waited for. */
  readonly isAsync: boolean;
  /** When it objects in the end, the model is woken to hear of it. */
  readonly rewakes: boolean;
}

/** A function of the host, behind an id. */
export interface CallbackHook extends HookFacts {
  readonly kind: 'callback';
  readonly callbackId: string;
}

/** Asks a server: the input is posted to it as JSON, its answer is the hook's. */
export interface HttpHook extends HookFacts {
  readonly kind: 'http';
  readonly url: string;
  /** Values may name variables, as in `Bearer $TOKEN`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The only variables that headers may name. */
  readonly allowedEnvVars: readonly string[];
}

/** Asks a model whether all is well; an agent may look for itself before it answers. */
export interface PromptHook extends HookFacts {
  readonly kind: 'prompt' | 'agent';
  /** `$ARGUMENTS` stands for the input. */
  readonly prompt: string;
  /** Null: a small one. */
  readonly model: string | null;
}

/** Said where there is nobody who could start an agent. */
export const AGENTS_MISSING = 'Hooks of the type "agent" can only be asked in a session';

/** Calls a tool of an MCP server that the session is connected to. */
export interface McpToolHook extends HookFacts {
  readonly kind: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  /** Texts in it may name fields of the hook's input, as in `${tool_input.file_path}`. */
  readonly input: JsonObject;
}

/** Those that are neither a process nor a function of the host. */
export type AskedHook = HttpHook | PromptHook | McpToolHook;

export type Hook = CommandHook | CallbackHook | AskedHook;

/** How a hook is called in messages. */
export function hookLabel(hook: Hook): string {
  switch (hook.kind) {
    case 'command':
      return hook.command;
    case 'callback':
      return 'callback';
    case 'http':
      return withoutQuery(hook.url);
    case 'mcp_tool':
      return `${hook.server}/${hook.tool}`;
    case 'prompt':
    case 'agent':
      return `${hook.kind}: ${firstWords(hook.prompt)}`;
    default:
      return hook satisfies never;
  }
}

/** What else stands in an address may be secret. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

const MAX_WORDS = 60;

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS - 1)}…` : line;
}

/**
 * Whether the hook's failure closes what it was to guard. A command that fails is passed over unless it says otherwise,
 * as everywhere; a program that registered a PreToolUse callback counts on being asked, so without its answer the tool
 * does not run (ruling K2).
 */
export function failsClosed({ kind, event, onFailure }: Hook): boolean {
  if (onFailure !== null) return onFailure === 'block';
  return kind === 'callback' && event === 'PreToolUse';
}
