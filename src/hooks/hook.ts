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
  readonly source: HookSource;
}

export interface CommandHook extends HookFacts {
  readonly kind: 'command';
  readonly command: string;
  /** Started and not waited for. */
  readonly isAsync: boolean;
}

/** A function of the host, behind an id. */
export interface CallbackHook extends HookFacts {
  readonly kind: 'callback';
  readonly callbackId: string;
}

export type Hook = CommandHook | CallbackHook;

/** How a hook is called in messages. */
export function hookLabel(hook: Hook): string {
  return hook.kind === 'command' ? hook.command : 'callback';
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
