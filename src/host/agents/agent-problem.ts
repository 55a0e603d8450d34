import type { TurnEnd } from '../../agent/loop.ts';

/** The explanation for the caller when the agent did not finish its work; null when it did. */
export function problemOf(end: TurnEnd, wasStopped: boolean): string | null {
  switch (end.kind) {
    case 'completed':
    case 'hook_stopped':
    case 'max_turns':
      return null;
    case 'interrupted':
      return wasStopped ? 'The agent was stopped before it had finished.' : 'The agent was interrupted.';
    case 'max_duration':
      return `The agent was stopped: it took longer than ${end.maxDurationMs} ms.`;
    case 'max_budget':
      return 'The agent was stopped: the budget of this run is used up.';
    case 'deferred':
      return `The agent was stopped: a hook left its call of ${end.call.name} to someone outside, who cannot come back to it.`;
    case 'empty_answer':
      return 'The agent gave no answer.';
    case 'no_structured_output':
      return 'The agent did not give the output that was asked for.';
    case 'api_error':
    case 'error_answer':
      return `The agent failed: ${end.text}`;
    case 'background_stopped':
      return 'The agent was stopped.';
    case 'broken':
      return `The agent failed: ${end.message}`;
    default:
      return end satisfies never;
  }
}
