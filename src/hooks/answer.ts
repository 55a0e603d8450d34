import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import { factsOf } from './events.ts';

export type Behavior = 'allow' | 'deny' | 'ask' | 'defer';

/** What one hook said. */
export interface HookAnswer {
  /** It did not say anything that can be taken: why. What it forbade all the same still counts, what it opened does not. */
  failure: string | null;
  /** Whoever failed has said so to its own program. */
  isToldToHost: boolean;
  /** The turn shall end: why, as far as it said so. */
  stop: { reason: string } | null;
  /** It objects: why. Of a PreToolUse hook this is a denial. */
  block: string | null;
  /** About a tool call. */
  decision: { behavior: Behavior; reason: string } | null;
  updatedInput: JsonObject | null;
  /** What `PermissionRequest` decided, as it came. */
  permission: JsonObject | null;
  /** In place of what a tool found. */
  updatedOutput: { value: unknown; onlyMcp: boolean } | null;
  /** For the model. */
  context: string | null;
  /** The context is all that a command printed. */
  isPlainContext: boolean;
  systemMessage: string | null;
  suppressOutput: boolean;
  /** It is still at work and will not decide anything. */
  isAsync: boolean;
  asyncTimeoutMs: number | null;
  /** Of `PermissionDenied`: the model may try again. */
  retry: boolean;
  /** Files that it wants to hear of. */
  watchPaths: readonly string[] | null;
  /** Of `Elicitation` and `ElicitationResult`: what an MCP server is answered. */
  elicitation: ElicitationAnswer | null;
  /** Of `WorktreeCreate`: the directory that it has made. */
  worktreePath: string | null;
  /** Of `SessionStart` and `UserPromptSubmit`: what the session is to be called. */
  sessionTitle: string | null;
  /** Of `SessionStart`: what is to be said before the first prompt. */
  initialUserMessage: string | null;
  /** Of `SessionStart`: it has written skills. */
  reloadSkills: boolean;
  /** Of a prompt that it holds up: what it says is not repeated. */
  hidesPrompt: boolean;
}

export interface ElicitationAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: JsonObject;
}

export const NO_ANSWER: HookAnswer = {
  failure: null,
  isToldToHost: false,
  stop: null,
  block: null,
  decision: null,
  updatedInput: null,
  permission: null,
  updatedOutput: null,
  context: null,
  isPlainContext: false,
  systemMessage: null,
  suppressOutput: false,
  isAsync: false,
  asyncTimeoutMs: null,
  retry: false,
  watchPaths: null,
  elicitation: null,
  worktreePath: null,
  sessionTitle: null,
  initialUserMessage: null,
  reloadSkills: false,
  hidesPrompt: false,
};

export function failed(failure: string): HookAnswer {
  return { ...NO_ANSWER, failure };
}

/** How a command ended. */
export interface CommandEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** More than was kept came out of it. */
  isCut: boolean;
}

/** What a command said by its exit code and its output (wire.md 10.3). */
export function answerOfCommand(event: string, end: CommandEnd): HookAnswer {
  const { exitCode, stdout, stderr, isCut } = end;
  if (exitCode === 2) return { ...NO_ANSWER, block: stderr.trim() || stdout.trim() || 'No reason was given' };
  if (exitCode !== 0) {
    const how = exitCode === null ? 'It was ended by a signal' : `It ended with exit code ${exitCode}`;
    return failed(`${how}${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`);
  }
  if (!stdout.trimStart().startsWith('{')) {
    if (event === 'WorktreeCreate') return { ...NO_ANSWER, worktreePath: lastLine(stdout) };
    const isContext = factsOf(event).hasPlainContext === true && stdout.trim() !== '';
    return isContext ? { ...NO_ANSWER, context: stdout.trim(), isPlainContext: true } : NO_ANSWER;
  }
  if (isCut) return failed('Its output is too long to be read as JSON');
  const value = tryParseJson(stdout);
  return value === undefined ? failed('Its output begins like JSON and is none') : readAnswer(event, value);
}

/** What is printed on the way is not the path. */
function lastLine(text: string): string | null {
  return text.trim().split('\n').at(-1)?.trim() || null;
}

const BEHAVIORS: ReadonlySet<unknown> = new Set(['allow', 'deny', 'ask', 'defer']);

/** Reads the JSON that a command printed or a callback returned. */
export function readAnswer(event: string, value: unknown): HookAnswer {
  if (value === undefined || value === null) return NO_ANSWER;
  if (!isObject(value)) return failed('Its answer is no object');
  if (value.async === true) {
    const ms = typeof value.asyncTimeout === 'number' && value.asyncTimeout > 0 ? value.asyncTimeout : null;
    return { ...NO_ANSWER, isAsync: true, asyncTimeoutMs: ms };
  }
  const { own, problem: foreign } = specificOf(event, value.hookSpecificOutput);
  const answer = assembled(event, value, own);
  const failure = foreign ?? problemOf(value, own);
  if (failure === null) return answer;
  const { stop, block, decision, systemMessage } = answer;
  const denial = decision?.behavior === 'deny' ? decision : null;
  return { ...NO_ANSWER, failure, stop, block, decision: denial, systemMessage };
}

/** What only makes sense for one event; that of another event is not taken [HK-25]. */
function specificOf(event: string, given: unknown): { own: JsonObject; problem: string | null } {
  if (given === undefined || given === null) return { own: {}, problem: null };
  if (!isObject(given)) return { own: {}, problem: 'Its hookSpecificOutput is no object' };
  const name = given.hookEventName;
  if (name === undefined || name === event) return { own: given, problem: null };
  return { own: {}, problem: `Its hookSpecificOutput is for ${String(name)}, not for ${event}` };
}

function problemOf(value: JsonObject, own: JsonObject): string | null {
  const { decision } = value;
  if (decision !== undefined && decision !== 'approve' && decision !== 'block') {
    return `Its decision is ${JSON.stringify(decision)}, not "approve" or "block"`;
  }
  const { permissionDecision, updatedInput } = own;
  if (permissionDecision !== undefined && !BEHAVIORS.has(permissionDecision)) {
    return `Its permissionDecision is ${JSON.stringify(permissionDecision)}, not "allow", "deny", "ask" or "defer"`;
  }
  return updatedInput === undefined || isObject(updatedInput) ? null : 'Its updatedInput is no object';
}

function assembled(event: string, value: JsonObject, own: JsonObject): HookAnswer {
  const reason = stringField(value, 'reason') ?? '';
  const isStopping = value.continue === false || value.preventContinuation === true;
  return {
    ...NO_ANSWER,
    stop: isStopping ? { reason: stringField(value, 'stopReason') ?? reason } : null,
    block: value.decision === 'block' ? reason || 'No reason was given' : null,
    decision: decisionOf(value, own),
    updatedInput: isObject(own.updatedInput) ? own.updatedInput : null,
    permission: event === 'PermissionRequest' && isObject(own.decision) ? own.decision : null,
    updatedOutput: outputOf(own),
    context: stringField(own, 'additionalContext')?.trim() || null,
    systemMessage: stringField(value, 'systemMessage') ?? null,
    suppressOutput: value.suppressOutput === true,
    retry: own.retry === true,
    watchPaths: Array.isArray(own.watchPaths) ? own.watchPaths.filter((path) => typeof path === 'string') : null,
    elicitation: event.startsWith('Elicitation') ? readElicitation(own) : null,
    worktreePath: (event === 'WorktreeCreate' && stringField(own, 'worktreePath')) || null,
    sessionTitle: stringField(own, 'sessionTitle')?.trim() || null,
    initialUserMessage: (event === 'SessionStart' && stringField(own, 'initialUserMessage')?.trim()) || null,
    reloadSkills: own.reloadSkills === true,
    hidesPrompt: own.suppressOriginalPrompt === true,
  };
}

/** The newer way before the older one. */
function decisionOf(value: JsonObject, own: JsonObject): HookAnswer['decision'] {
  const { permissionDecision } = own;
  const reason = stringField(own, 'permissionDecisionReason') ?? stringField(value, 'reason') ?? '';
  if (BEHAVIORS.has(permissionDecision)) return { behavior: permissionDecision as Behavior, reason };
  return value.decision === 'approve' ? { behavior: 'allow', reason } : null;
}

function outputOf(own: JsonObject): HookAnswer['updatedOutput'] {
  if (own.updatedToolOutput !== undefined) return { value: own.updatedToolOutput, onlyMcp: false };
  if (own.updatedMCPToolOutput !== undefined) return { value: own.updatedMCPToolOutput, onlyMcp: true };
  return null;
}

/** An answer to a server's question, whoever gives it; null when it is none. Only who accepts has something to say. */
export function readElicitation(value: unknown): ElicitationAnswer | null {
  if (!isObject(value)) return null;
  const { action, content } = value;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return null;
  return { action, ...(isObject(content) && { content }) };
}
