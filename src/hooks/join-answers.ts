import type { JsonObject } from '../util/json.ts';
import type { Behavior, ElicitationAnswer, HookAnswer } from './answer.ts';
import { factsOf } from './events.ts';
import { failsClosed, type Hook, hookLabel } from './hook.ts';

/** One hook that was run, and what it said. */
export interface HookRun {
  hook: Hook;
  answer: HookAnswer;
}

/** What all hooks of an event have said together. */
export interface HookOutcome {
  /** About a tool call: deny before defer before ask before allow. Null: nobody decided. */
  decision: { behavior: Behavior; reason: string } | null;
  /** Somebody objects: why. Null for PreToolUse, where an objection is a denial. */
  block: string | null;
  /** The turn shall end: why; empty when nobody said. */
  stop: { reason: string } | null;
  updatedInput: JsonObject | null;
  updatedOutput: { value: unknown; onlyMcp: boolean } | null;
  /** Of PermissionRequest: a denial before an allowance. */
  permission: JsonObject | null;
  /** For the model, ready to be sent. */
  contexts: readonly string[];
  retry: boolean;
  /** Files that hooks want to hear of from now on; null: nothing was said of it. */
  watchPaths: readonly string[] | null;
  /** What a server that asks something is answered; the last one stands. */
  elicitation: ElicitationAnswer | null;
  /** The last one stands. */
  sessionTitle: string | null;
  /** What is to be said before the first prompt, one after the other. */
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

/** What reaches the model of a single text (trust K-4). */
const MAX_TEXT = 10_000;

/** The one place where the answers of several hooks become one. `name` is that of the run, such as `PreToolUse:Read`. */
export function foldAnswers(event: string, name: string, runs: readonly HookRun[]): HookOutcome {
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
      ...(isAfter ? objections.map((text) => told(name, text)) : []),
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
 * What one that nobody waited for adds when it is done: it decides nothing any more. Its message for people is for the
 * model, too: there is no other way to tell it what came of a run in the background.
 */
export function lateContexts(name: string, { context, systemMessage }: HookAnswer): string[] {
  const texts = [context, systemMessage].filter((text) => text !== null);
  return texts.map((text) => reminder(`${name} hook, which ran in the background: ${cut(text)}`));
}

/** The objection of one that nobody waited for: too late to hold anything up, but the model is to hear of it. */
export function lateObjection(name: string, hook: Hook, objection: string): string {
  return reminder(`${name} hook blocking error: [${hookLabel(hook)}], which ran in the background: ${cut(objection)}`);
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** A hook may object, or fail where its failure closes. */
function objectionOf(event: string, name: string, { hook, answer }: HookRun): string | null {
  // What a callback gives as its reason is meant to be read as it is; of a command it must be said whose it is.
  if (answer.block !== null)
    return hook.kind === 'callback' ? answer.block : `${name} hook error: [${hookLabel(hook)}]: ${answer.block}`;
  if (answer.failure === null || !countsAsObjection(hook, event)) return null;
  return `${name} hook failed, and counts as an objection: ${answer.failure}`;
}

/** Whether the failure of a hook holds up the event. A stop that a broken hook holds up would only repeat itself. */
export function countsAsObjection(hook: Hook, event: string): boolean {
  return failsClosed(hook) && factsOf(event).canBlock === true && event !== 'Stop' && event !== 'SubagentStop';
}

const STRENGTH: readonly Behavior[] = ['deny', 'defer', 'ask', 'allow'];

/** The first of the strongest kind. */
function strongest(decisions: readonly NonNullable<HookOutcome['decision']>[]): HookOutcome['decision'] {
  for (const behavior of STRENGTH) {
    const found = decisions.find((decision) => decision.behavior === behavior);
    if (found) return found;
  }
  return null;
}

/** Who denies in the words of PreToolUse means it all the same; who allows so has not answered the question. */
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

/** Later hooks saw the same input as the first; where two of them change it, the last one stands. */
function lastOf<T>(runs: readonly HookRun[], pick: (answer: HookAnswer) => T | null): T | null {
  return runs.reduce<T | null>((last, { answer }) => pick(answer) ?? last, null);
}

function contextOf(name: string, { answer }: HookRun): string | null {
  const { context } = answer;
  if (context === null) return null;
  return reminder(`${name} hook ${answer.isPlainContext ? 'success' : 'additional context'}: ${cut(context)}`);
}

/** What has happened cannot be undone, but the model can be told that somebody objects. */
function told(name: string, objection: string): string {
  return reminder(`${name} hook blocking error: ${cut(objection)}`);
}

function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function cutDecision(decision: HookOutcome['decision']): HookOutcome['decision'] {
  return decision && { ...decision, reason: cut(decision.reason) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more characters were left out]`;
}
