import type { JsonObject } from '../util/json.ts';
import type { ToolUseBlock } from '../wire/content.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { DeferredToolUse, ResultMessage } from '../wire/messages/index.ts';
import type { Usage } from '../wire/usage.ts';
import type { Ledger } from './ledger.ts';
import type { StoppedTask, TurnEnd } from './loop.ts';
import type { Tally, TurnTimes } from './turn.ts';

export interface ResultFacts {
  sessionId: string;
  uuid: string;
  durationMs: number;
  /** What the host hears of why the model stopped depends on it. */
  dialect: Dialect;
  ledger: Ledger;
  tally: Tally;
  /** What is still at work in the background (ruling K25). Default: nothing. */
  pendingTasks?: NonNullable<ResultMessage['pending_tasks']>;
  /** Who has begun the turn, where that was not the person at the host. */
  origin?: ResultMessage['origin'];
  /** The output that fits the given schema, if there was one and it was met. */
  structuredOutput?: JsonObject | null;
  /** The command that was answered here, without the model. */
  localCommand?: string;
}

/**
 * The one line that ends a turn. Subtype, `is_error` and exit code are one function of why the turn ended (ruling K6);
 * docs/results.md shows the table.
 */
export function resultLine(end: TurnEnd, facts: ResultFacts): ResultMessage {
  const { ledger, tally } = facts;
  const outcome = outcomeOf(end);
  const shared = {
    stop_reason: stopReason(end, facts),
    session_id: facts.sessionId,
    total_cost_usd: ledger.costUsd,
    usage: facts.dialect === '2.1.44' ? ledger.turnUsage : todaysUsage(ledger.turnUsage),
    modelUsage: ledger.modelUsage,
    permission_denials: tally.denials,
    uuid: facts.uuid,
  };
  const own = {
    ...(!outcome.isError && timings(tally.times)),
    ...(facts.origin && { origin: facts.origin }),
    ...(outcome.terminalReason && !isTodaysCommand(facts) && { terminal_reason: outcome.terminalReason }),
    ...(isTodaysCommand(facts) && { local_command: facts.localCommand }),
    ...(end.kind === 'deferred' && { deferred_tool_use: deferredCall(end.call) }),
    ...(end.kind === 'api_error' && { api_error_status: end.failure.status ?? null }),
    pending_tasks: facts.pendingTasks ?? [],
    user_message_uuids: tally.userMessageUuids,
    ...(facts.dialect !== '2.1.44' && tally.userMessageUuids[0] && { user_message_uuid: tally.userMessageUuids[0] }),
    ...(outcome.errorCode ? { error_code: outcome.errorCode } : {}),
  };
  const counts = { duration_ms: facts.durationMs, duration_api_ms: ledger.apiMs };
  const num_turns = isTodaysCommand(facts) ? 0 : tally.userLines + 1;
  if (outcome.subtype === 'success') {
    const errors = outcome.isError ? { errors: outcome.errors } : {};
    return {
      type: 'result',
      subtype: 'success',
      is_error: outcome.isError,
      ...counts,
      num_turns,
      result: facts.structuredOutput ? JSON.stringify(facts.structuredOutput) : tally.lastText,
      ...shared,
      ...(facts.structuredOutput && { structured_output: facts.structuredOutput }),
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

/** Today thoughts are counted in any case, and credits for another model, which there are none of here. */
function todaysUsage(usage: Usage): Usage {
  const thinking_tokens = usage.output_tokens_details?.thinking_tokens ?? 0;
  return { ...usage, output_tokens_details: { thinking_tokens }, fallback_credit: null };
}

/** Earlier versions of the reference told only of answers that no model gave. */
function stopReason(end: TurnEnd, { dialect, tally: { stopReason } }: ResultFacts): string | null {
  if (dialect === '2.1.44') return stopReason === 'stop_sequence' ? stopReason : null;
  return end.kind === 'error_answer' && end.code === 'refusal' ? 'refusal' : stopReason;
}

/** Today no turn is counted for a command, and no loop has ended. */
function isTodaysCommand({ dialect, localCommand }: ResultFacts): boolean {
  return dialect === '2.1.325' && localCommand !== undefined;
}

/** Of the first request of the turn; nothing where there was none, or no answer. */
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

/** What a result calls the trouble that a turn has ended in; null when it has ended well. */
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
