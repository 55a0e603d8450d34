import type { JsonObject } from '../util/json.ts';
import type { Matches } from './matcher.ts';

/** The source of hooks. */
export interface HookSource {
  /** `userSettings`, `projectSettings`, …, `plugin`, or `host` for callbacks. */
  scope: string;
  /** The source for people: a file, a flag, a plugin. */
  where: string;
  /** More variables for its commands, such as the plugin's folder. */
  env?: Readonly<Record<string, string>>;
}

interface HookDetails {
  readonly event: string;
  /** As it is written; empty for all. */
  readonly matcher: string;
  readonly matches: Matches;
  readonly timeoutMs: number;
  /** The effect of a failure (crash, time-out, invalid answer, no connection). Null: the default of its kind. */
  readonly onFailure: 'block' | 'ignore' | null;
  /** `if`: a permission rule; the hook only runs for calls that match it. Null: for all. */
  readonly condition: string | null;
  /** The hook runs once in a session. */
  readonly isOnce: boolean;
  readonly source: HookSource;
}

export interface CommandHook extends HookDetails {
  readonly kind: 'command';
  readonly command: string;
  /** The hook is started and not waited for. */
  readonly isAsync: boolean;
  /** When the hook objects after it ended, Heddle wakes the model with the objection. */
  readonly rewakes: boolean;
}

/** A function of the host, by its id. */
export interface CallbackHook extends HookDetails {
  readonly kind: 'callback';
  readonly callbackId: string;
}

/** Posts the input to a server as JSON; the server's answer is the hook's. */
export interface HttpHook extends HookDetails {
  readonly kind: 'http';
  readonly url: string;
  /** Values may name variables, as in `Bearer $TOKEN`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The only variables that headers may name. */
  readonly allowedEnvVars: readonly string[];
}

/** Asks a model whether the event is acceptable; an agent may use tools before it answers. */
export interface PromptHook extends HookDetails {
  readonly kind: 'prompt' | 'agent';
  /** `$ARGUMENTS` is replaced by the input. */
  readonly prompt: string;
  /** Null: a small model. */
  readonly model: string | null;
}

/** The error where no agent can be started. */
export const AGENTS_MISSING = 'Hooks of the type "agent" can only be asked in a session';

/** Calls a tool of an MCP server that the session is connected to. */
export interface McpToolHook extends HookDetails {
  readonly kind: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  /** Texts in it may name fields of the hook's input, as in `${tool_input.file_path}`. */
  readonly input: JsonObject;
}

/** The hooks that are neither a process nor a function of the host. */
export type AskedHook = HttpHook | PromptHook | McpToolHook;

export type Hook = CommandHook | CallbackHook | AskedHook;

/** The name of a hook in messages. */
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

/** The other parts of an address may be secret. */
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
 * Whether the hook's failure forbids the event that it guards. A failing command is skipped unless its settings say
 * otherwise. A program that registered a PreToolUse callback relies on it, so without its answer the tool does not run.
 */
export function failsClosed({ kind, event, onFailure }: Hook): boolean {
  if (onFailure !== null) return onFailure === 'block';
  return kind === 'callback' && event === 'PreToolUse';
}
