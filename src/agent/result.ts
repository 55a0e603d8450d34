import type { JsonObject } from '../util/json.ts';
import type { ToolUseBlock } from '../wire/api/content.ts';
import type { Usage } from '../wire/api/usage.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { DeferredToolUse, ResultMessage } from '../wire/messages/index.ts';
import type { Ledger } from './ledger.ts';
import type { Tally, TurnTimes } from './turn.ts';
import type { StoppedTask, TurnEnd } from './turn-end.ts';

export interface ResultDetails {
  sessionId: string;
  uuid: string;
  durationMs: number;
  /** Decides how the result reports the model's stop reason. */
  dialect: Dialect;
  ledger: Ledger;
  tally: Tally;
  /** Tasks that still run in the background. Default: none. */
  pendingTasks?: NonNullable<ResultMessage['pending_tasks']>;
  /** The origin of the turn, when it was not the person at the host. */
  origin?: ResultMessage['origin'];
  /** The output that fits the given schema, if there was one and it was met. */
  structuredOutput?: JsonObject | null;
  /** The command that Heddle answered without the model. */
  localCommand?: string;
}

/**
 * The one line that ends a turn. Subtype, `is_error` and exit code follow from the end of the turn; docs/results.md
 * shows the table.
 */
export function resultLine(end: TurnEnd, details: ResultDetails): ResultMessage {
  const { ledger, tally } = details;
  const outcome = outcomeOf(end);
  const shared = {
    stop_reason: stopReason(end, details),
    session_id: details.sessionId,
    total_cost_usd: ledger.costUsd,
    usage: details.dialect === '2.1.44' ? ledger.turnUsage : todaysUsage(ledger.turnUsage),
    modelUsage: ledger.modelUsage,
    permission_denials: tally.denials,
    uuid: details.uuid,
  };
  const own = {
    ...(!outcome.isError && timings(tally.times)),
    ...(details.origin && { origin: details.origin }),
    ...(outcome.terminalReason && !isTodaysCommand(details) && { terminal_reason: outcome.terminalReason }),
    ...(isTodaysCommand(details) && { local_command: details.localCommand }),
    ...(end.kind === 'deferred' && { deferred_tool_use: deferredCall(end.call) }),
    ...(end.kind === 'api_error' && { api_error_status: end.failure.status ?? null }),
    pending_tasks: details.pendingTasks ?? [],
    user_message_uuids: tally.userMessageUuids,
    ...(details.dialect !== '2.1.44' && tally.userMessageUuids[0] && { user_message_uuid: tally.userMessageUuids[0] }),
    ...(outcome.errorCode ? { error_code: outcome.errorCode } : {}),
  };
  const counts = { duration_ms: details.durationMs, duration_api_ms: ledger.apiMs };
  const num_turns = isTodaysCommand(details) ? 0 : tally.userLines + 1;
  if (outcome.subtype === 'success') {
    const errors = outcome.isError ? { errors: outcome.errors } : {};
    return {
      type: 'result',
      subtype: 'success',
      is_error: outcome.isError,
      ...counts,
      num_turns,
      result: details.structuredOutput ? JSON.stringify(details.structuredOutput) : tally.lastText,
      ...shared,
      ...(details.structuredOutput && { structured_output: details.structuredOutput }),
      ...errors,
      ...own,
    };
  }
  return {
    type: 'result',
    subtype: outcome.subtype,
    ...counts,
    is_error: outcome.isError,
    num_turns,
    ...shared,
    errors: outcome.errors,
    ...own,
  };
}

/**
 * Current hosts expect a count of thinking tokens in any case, and one of credits for another model, which Heddle never
 * has.
 */
function todaysUsage(usage: Usage): Usage {
  const thinking_tokens = usage.output_tokens_details?.thinking_tokens ?? 0;
  return { ...usage, output_tokens_details: { thinking_tokens }, fallback_credit: null };
}

/** Earlier versions of the reference reported a stop reason only for answers that no model gave. */
function stopReason(end: TurnEnd, { dialect, tally: { stopReason } }: ResultDetails): string | null {
  if (dialect === '2.1.44') return stopReason === 'stop_sequence' ? stopReason : null;
  return end.kind === 'error_answer' && end.code === 'refusal' ? 'refusal' : stopReason;
}

/** Current hosts count no turn for a command, and get no reason for the end of a loop. */
function isTodaysCommand({ dialect, localCommand }: ResultDetails): boolean {
  return dialect === '2.1.325' && localCommand !== undefined;
}

/** The times of the first request of the turn; empty without a request or an answer. */
function timings({ begin, request, event, token }: TurnTimes) {
  if (request === undefined || event === undefined) return {};
  return {
    ...(token !== undefined && { ttft_ms: token - request }),
    ttft_stream_ms: event - request,
    time_to_request_ms: request - (begin ?? request),
  };
}

function deferredCall({ id, name, input }: ToolUseBlock): DeferredToolUse {
  return { id, name, input };
}

/** The code of the error that ended the turn; null when the turn ended well. */
export function errorCodeOf(end: TurnEnd): string | null {
  return outcomeOf(end).errorCode ?? null;
}

interface ResultOutcome {
  subtype: ResultMessage['subtype'];
  isError: boolean;
  errors: string[];
  terminalReason?: ResultMessage['terminal_reason'];
  errorCode?: string;
}

function outcomeOf(end: TurnEnd): ResultOutcome {
  switch (end.kind) {
    case 'completed':
      return { subtype: 'success', isError: false, errors: [], terminalReason: 'completed' };
    case 'hook_stopped':
      return { subtype: 'success', isError: false, errors: [], terminalReason: 'hook_stopped' };
    case 'deferred':
      return { subtype: 'success', isError: false, errors: [], terminalReason: 'tool_deferred' };
    case 'max_turns':
      return failed('error_max_turns', `Reached max turns (${end.maxTurns})`, 'max_turns');
    case 'max_budget':
      return failed('error_max_budget_usd', `Exceeded USD budget (${end.maxBudgetUsd})`, 'budget_exhausted');
    case 'interrupted': {
      const reason = end.during === 'tools' ? 'aborted_tools' : 'aborted_streaming';
      return failed('error_during_execution', 'The turn was interrupted', reason);
    }
    case 'max_duration':
      return failed('error_during_execution', `Took longer than ${end.maxDurationMs} ms`, 'max_duration');
    case 'empty_answer':
      return failed('error_during_execution', 'The model gave an empty answer twice', 'empty_answer');
    case 'no_structured_output':
      return failed('error_max_structured_output_retries', end.message, 'structured_output_retry_exhausted');
    case 'error_answer':
      return {
        subtype: 'success',
        isError: true,
        errors: [end.text],
        terminalReason: end.code === 'refusal' ? 'refusal' : 'api_error',
        errorCode: end.code,
      };
    case 'background_stopped':
      return {
        subtype: 'error_during_execution',
        isError: true,
        errors: end.tasks.map(stoppedText),
        terminalReason: 'background_stopped',
        errorCode: 'background_stopped',
      };
    case 'broken':
      return { subtype: 'error_during_execution', isError: true, errors: [end.message], errorCode: end.code };
    case 'api_error':
      return {
        subtype: 'success',
        isError: true,
        errors: [end.text],
        terminalReason: end.failure.class === 'prompt_too_long' ? 'prompt_too_long' : 'api_error',
        errorCode: end.failure.class,
      };
    default:
      return end satisfies never;
  }
}

function stoppedText({ id, description, lastOutput }: StoppedTask): string {
  const last = lastOutput.trim();
  return `The background task ${id} (${description}) was stopped${last === '' ? '' : `. Its last output: ${last}`}`;
}

function failed(
  subtype: ResultOutcome['subtype'],
  message: string,
  terminalReason: ResultOutcome['terminalReason'],
): ResultOutcome {
  return { subtype, isError: true, errors: [message], terminalReason, errorCode: terminalReason };
}
