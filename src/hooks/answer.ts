import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import { eventInfo } from './events.ts';

export type Behavior = 'allow' | 'deny' | 'ask' | 'defer';

/** The answer of one hook. */
export interface HookAnswer {
  /** Why the answer is invalid, else null. An invalid answer can still forbid, but not allow. */
  failure: string | null;
  /** The host's program already knows of the failure. */
  isReportedToHost: boolean;
  /** The hook ends the turn, with its reason if it gave one. */
  stop: { reason: string } | null;
  /** The reason of the hook's objection. For PreToolUse this is a denial. */
  block: string | null;
  /** The decision about a tool call. */
  decision: { behavior: Behavior; reason: string } | null;
  updatedInput: JsonObject | null;
  /** The decision of `PermissionRequest`, unchanged. */
  permission: JsonObject | null;
  /** Replaces the output of a tool. */
  updatedOutput: { value: unknown; onlyMcp: boolean } | null;
  /** Text for the model. */
  context: string | null;
  /** The context is the plain output of a command. */
  isPlainContext: boolean;
  systemMessage: string | null;
  suppressOutput: boolean;
  /** The hook continues in the background and will not decide anything. */
  isAsync: boolean;
  asyncTimeoutMs: number | null;
  /** For `PermissionDenied`: the model may try again. */
  retry: boolean;
  /** Files whose changes the hook wants to know. */
  watchPaths: readonly string[] | null;
  /** For `Elicitation` and `ElicitationResult`: the answer to an MCP server. */
  elicitation: ElicitationAnswer | null;
  /** For `WorktreeCreate`: the directory that the hook created. */
  worktreePath: string | null;
  /** For `SessionStart` and `UserPromptSubmit`: the title of the session. */
  sessionTitle: string | null;
  /** For `SessionStart`: a prompt before the first prompt. */
  initialUserMessage: string | null;
  /** For `SessionStart`: the hook wrote skills. */
  reloadSkills: boolean;
  /** For a prompt that the hook blocks: its text is not repeated. */
  hidesPrompt: boolean;
}

export interface ElicitationAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: JsonObject;
}

export const NO_ANSWER: HookAnswer = {
  failure: null,
  isReportedToHost: false,
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
  /** The command printed more than was stored. */
  isCut: boolean;
}

/** The answer of a command, by its exit code and its output. */
export function answerOfCommand(event: string, end: CommandEnd): HookAnswer {
  const { exitCode, stdout, stderr, isCut } = end;
  if (exitCode === 2) return { ...NO_ANSWER, block: stderr.trim() || stdout.trim() || 'No reason was given' };
  if (exitCode !== 0) {
    const how = exitCode === null ? 'It was ended by a signal' : `It ended with exit code ${exitCode}`;
    return failed(`${how}${stderr.trim() === '' ? '' : `: ${stderr.trim()}`}`);
  }
  if (!stdout.trimStart().startsWith('{')) {
    if (event === 'WorktreeCreate') return { ...NO_ANSWER, worktreePath: lastLine(stdout) };
    const isContext = eventInfo(event).hasPlainContext === true && stdout.trim() !== '';
    return isContext ? { ...NO_ANSWER, context: stdout.trim(), isPlainContext: true } : NO_ANSWER;
  }
  if (isCut) return failed('Its output is too long to be read as JSON');
  const value = tryParseJson(stdout);
  return value === undefined ? failed('Its output begins like JSON and is none') : readAnswer(event, value);
}

/** The path is the last line; earlier lines are other output. */
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

/** The fields for one event; those of another event are refused. */
function specificOf(event: string, raw: unknown): { own: JsonObject; problem: string | null } {
  if (raw === undefined || raw === null) return { own: {}, problem: null };
  if (!isObject(raw)) return { own: {}, problem: 'Its hookSpecificOutput is no object' };
  const name = raw.hookEventName;
  if (name === undefined || name === event) return { own: raw, problem: null };
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

/** The newer field wins over the older one. */
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

/** An answer to a server's question, of a hook or the host; null when it is invalid. Only `accept` has content. */
export function readElicitation(value: unknown): ElicitationAnswer | null {
  if (!isObject(value)) return null;
  const { action, content } = value;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept') return null;
  return { action, ...(isObject(content) && { content }) };
}
