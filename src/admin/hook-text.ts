import { type Hook, hookLabel } from '../hooks/hook.ts';
import type { HookOutcome, HookRun } from '../hooks/join-answers.ts';
import { printable } from '../util/text/printable.ts';
import type { ListedHooks } from './list-hooks.ts';

/** The hooks by event, each with its matcher and its file; empty where there are none. */
export function hookListLines({ hooks, problems, ignored }: ListedHooks): string[] {
  const lines = hooks.map(
    (hook) => `${hook.event}${hook.matcher ? ` (${hook.matcher})` : ''}: ${hookLabel(hook)}${detailLines(hook)}`,
  );
  const notes = [
    ...problems.map((problem) => `problem: ${problem}`),
    ...ignored.map((file) => `ignored: the hooks of ${file}, because this directory is not trusted (heddle trust)`),
  ];
  return [...lines, ...notes].map(printable);
}

function detailLines({ timeoutMs, onFailure, condition, isOnce, source }: Hook): string {
  const more = [
    condition === null ? '' : `, if: ${condition}`,
    isOnce ? ', once' : '',
    onFailure === null ? '' : `, on failure: ${onFailure}`,
  ];
  return `  [${timeoutMs / 1000} s${more.join('')}] ${source.where}`;
}

/** The output of each hook, and the effect it would have. */
export function outcomeText(outcome: HookOutcome): string {
  if (outcome.runs.length === 0) return 'No hook fits this event.\n';
  const { decision, block, stop, updatedInput, permission, contexts } = outcome;
  const effects = [
    decision && `decision: ${decision.behavior}${decision.reason ? ` (${decision.reason})` : ''}`,
    permission && `permission: ${JSON.stringify(permission)}`,
    block !== null && `objection: ${block}`,
    stop && `the turn would end${stop.reason ? `: ${stop.reason}` : ''}`,
    updatedInput && `input: ${JSON.stringify(updatedInput)}`,
    ...contexts.map((context) => `for the model: ${context}`),
  ].filter((line) => typeof line === 'string');
  const lines = [...outcome.runs.map(runText), ...(effects.length > 0 ? effects : ['Nobody decides anything.'])];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function runText({ hook, answer }: HookRun): string {
  const said =
    answer.failure !== null ? `failed: ${answer.failure}` : answer.isAsync ? 'goes on by itself' : 'answered';
  return `[${hookLabel(hook)}] of ${hook.source.where}: ${said}`;
}
