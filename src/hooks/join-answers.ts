import type { JsonObject } from '../util/json.ts';
import { reminder } from '../util/text/reminder-text.ts';
import type { Behavior, ElicitationAnswer, HookAnswer } from './answer.ts';
import { eventInfo } from './events.ts';
import { failsClosed, type Hook, hookLabel } from './hook.ts';

/** One hook that ran, with its answer. */
export interface HookRun {
  hook: Hook;
  answer: HookAnswer;
}

/** The joined answers of all hooks of an event. */
export interface HookOutcome {
  /** About a tool call: deny before defer before ask before allow. Null: no hook decided. */
  decision: { behavior: Behavior; reason: string } | null;
  /** The reason of an objection. Null for PreToolUse, where an objection is a denial. */
  block: string | null;
  /** The turn must end, for this reason; empty when no hook gave one. */
  stop: { reason: string } | null;
  updatedInput: JsonObject | null;
  updatedOutput: { value: unknown; onlyMcp: boolean } | null;
  /** For PermissionRequest: a denial wins over an allowance. */
  permission: JsonObject | null;
  /** Texts for the model, ready to send. */
  contexts: readonly string[];
  retry: boolean;
  /** The files to watch from now on; null: no hook named any. */
  watchPaths: readonly string[] | null;
  /** The answer to a server's question; the last one wins. */
  elicitation: ElicitationAnswer | null;
  /** The last one wins. */
  sessionTitle: string | null;
  /** Prompts before the first prompt, in order. */
  initialUserMessages: readonly string[];
  reloadSkills: boolean;
  hidesPrompt: boolean;
  runs: readonly HookRun[];
}

export const NOTHING: HookOutcome = {
  decision: null,
  block: null,
  stop: null,
  updatedInput: null,
  updatedOutput: null,
  permission: null,
  contexts: [],
  retry: false,
  watchPaths: null,
  elicitation: null,
  sessionTitle: null,
  initialUserMessages: [],
  reloadSkills: false,
  hidesPrompt: false,
  runs: [],
};

/** The maximum length of a single text for the model. */
const MAX_TEXT = 10_000;

/**
 * Joins the answers of several hooks; the only function that does. `name` is the name of the run, such as
 * `PreToolUse:Read`.
 */
export function joinAnswers(event: string, name: string, runs: readonly HookRun[]): HookOutcome {
  const objections = runs.flatMap((run) => objectionOf(event, name, run) ?? []).map(cut);
  const isGuard = event === 'PreToolUse';
  const isAfter = event.startsWith('PostTool');
  const stops = runs.flatMap(({ answer }) => answer.stop ?? []);
  return {
    decision: strongest([
      ...(isGuard ? objections.map((reason) => ({ behavior: 'deny' as const, reason })) : []),
      ...runs.flatMap(({ answer }) => cutDecision(answer.decision) ?? []),
    ]),
    block: isGuard || objections.length === 0 ? null : cut(objections.join('\n')),
    stop: stops.length === 0 ? null : { reason: cut(joined(stops.map(({ reason }) => reason))) },
    updatedInput: lastOf(runs, ({ updatedInput }) => updatedInput),
    updatedOutput: lastOf(runs, ({ updatedOutput }) => updatedOutput),
    permission: event === 'PermissionRequest' ? permissionOf(runs, objections) : null,
    contexts: [
      ...runs.flatMap((run) => contextOf(name, run) ?? []),
      ...(isAfter ? objections.map((text) => objectionText(name, text)) : []),
    ],
    retry: runs.some(({ answer }) => answer.retry),
    watchPaths: pathsOf(runs),
    elicitation: lastOf(runs, ({ elicitation }) => elicitation),
    sessionTitle: lastOf(runs, ({ sessionTitle }) => sessionTitle),
    initialUserMessages: runs.flatMap(({ answer }) => answer.initialUserMessage ?? []).map(cut),
    reloadSkills: runs.some(({ answer }) => answer.reloadSkills),
    hidesPrompt: runs.some(({ answer }) => answer.hidesPrompt),
    runs,
  };
}

/**
 * The texts of an asynchronous hook that has ended; it can no longer decide. Its message for people also goes to the
 * model, which has no other way to learn the result of a background run.
 */
export function lateContexts(name: string, { context, systemMessage }: HookAnswer): string[] {
  const texts = [context, systemMessage].filter((text) => text !== null);
  return texts.map((text) => reminder(`${name} hook, which ran in the background: ${cut(text)}`));
}

/** The objection of an asynchronous hook: too late to prevent anything, but the model gets it. */
export function lateObjection(name: string, hook: Hook, objection: string): string {
  return reminder(`${name} hook blocking error: [${hookLabel(hook)}], which ran in the background: ${cut(objection)}`);
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** A hook may object, or fail closed. */
function objectionOf(event: string, name: string, { hook, answer }: HookRun): string | null {
  // The reason of a callback is used as it is; the reason of a command names its command.
  if (answer.block !== null)
    return hook.kind === 'callback' ? answer.block : `${name} hook error: [${hookLabel(hook)}]: ${answer.block}`;
  if (answer.failure === null || !countsAsObjection(hook, event)) return null;
  return `${name} hook failed, and counts as an objection: ${answer.failure}`;
}

/**
 * Whether the failure of a hook blocks the event. A broken Stop hook does not block, because it would fail again at
 * every stop.
 */
export function countsAsObjection(hook: Hook, event: string): boolean {
  return failsClosed(hook) && eventInfo(event).canBlock === true && event !== 'Stop' && event !== 'SubagentStop';
}

const STRENGTH: readonly Behavior[] = ['deny', 'defer', 'ask', 'allow'];

/** The first decision of the strongest kind. */
function strongest(decisions: readonly NonNullable<HookOutcome['decision']>[]): HookOutcome['decision'] {
  for (const behavior of STRENGTH) {
    const found = decisions.find((decision) => decision.behavior === behavior);
    if (found) return found;
  }
  return null;
}

/** A denial in the form of PreToolUse counts; an allowance in that form does not answer the question. */
function permissionOf(runs: readonly HookRun[], objections: readonly string[]): JsonObject | null {
  const denials = runs.flatMap(({ answer: { decision } }) => (decision?.behavior === 'deny' ? decision.reason : []));
  const [message] = [...objections, ...denials.map(cut)];
  if (message !== undefined) return { behavior: 'deny', message };
  const given = runs.map(({ answer }) => answer.permission).filter((each) => each !== null);
  return given.find(({ behavior }) => behavior === 'deny') ?? given[0] ?? null;
}

function pathsOf(runs: readonly HookRun[]): readonly string[] | null {
  const lists = runs.flatMap(({ answer: { watchPaths } }) => (watchPaths === null ? [] : [watchPaths]));
  return lists.length === 0 ? null : lists.flat();
}

/** All hooks get the same input; where two of them change it, the last one wins. */
function lastOf<T>(runs: readonly HookRun[], pick: (answer: HookAnswer) => T | null): T | null {
  return runs.reduce<T | null>((last, { answer }) => pick(answer) ?? last, null);
}

function contextOf(name: string, { answer }: HookRun): string | null {
  const { context } = answer;
  if (context === null) return null;
  return reminder(`${name} hook ${answer.isPlainContext ? 'success' : 'additional context'}: ${cut(context)}`);
}

/** The event cannot be undone, but the model gets the objection. */
function objectionText(name: string, objection: string): string {
  return reminder(`${name} hook blocking error: ${cut(objection)}`);
}

function cutDecision(decision: HookOutcome['decision']): HookOutcome['decision'] {
  return decision && { ...decision, reason: cut(decision.reason) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more characters were left out]`;
}
