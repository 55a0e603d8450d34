import { lastSaid, userContent } from '../../agent/messages/api-messages.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import { hookLabel } from '../../hooks/hook.ts';
import { informationalLine } from '../../hooks/hook-lines.ts';
import type { HookOutcome } from '../../hooks/join-answers.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import type { JsonObject } from '../../util/json.ts';
import { textOf } from '../../wire/api/text-of.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { CalledPrompt } from '../extensions/extensions.ts';
import { effortOf } from '../models/request-settings.ts';
import type { HookedThread } from './hooked-thread.ts';

export function promptText({ message }: UserInput): string {
  return textOf(userContent(message));
}

/** The effort of the model in this turn, if one is set. */
export function effortField({ model, scope, services }: Pick<HookedThread, 'model' | 'scope' | 'services'>): {
  effort?: { level: string };
} {
  const { warnOnce } = services;
  const level = effortOf({ effort: model.effort, warnOnce }, scope.model ?? model.selected);
  return level === undefined ? {} : { effort: { level } };
}

export function isHeldUp({ block, stop }: HookOutcome): boolean {
  return block !== null || stop !== null;
}

export function expansionFields({ prompt: { name, scope }, args }: CalledPrompt, prompt: string): JsonObject {
  const command = { command_name: name, command_args: args, command_source: scope };
  return { expansion_type: 'slash_command', ...command, prompt };
}

/** The input of a Stop hook: the last text of the model, and the tasks that still run. */
export function stopFields(messages: readonly ApiMessage[], background: Pick<BackgroundTasks, 'pending'>): JsonObject {
  const tasks = background.pending();
  return {
    last_assistant_message: lastSaid(messages),
    background_tasks: tasks.map(({ id, type, status, description, command }) => ({
      id,
      type,
      status,
      description,
      ...(command !== undefined && { command }),
    })),
    session_crons: [],
  };
}

export function verdictOf({ stop, block }: HookOutcome): StopVerdict {
  if (stop) return { kind: 'end', reason: stop.reason };
  return block === null ? { kind: 'stop' } : { kind: 'continue', feedback: `Stop hook feedback:\n${block}` };
}

export function blockedLine(reason: string, ids: { uuid: string; sessionId: string }): Message {
  const outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason };
  const content = `The prompt was not sent: ${reason}`;
  return informationalLine(
    { content, level: 'warning', prevent_continuation: true, prompt_submit_outcome: outcome },
    ids,
  );
}

export function summaryFields({ outcome, toolUseID }: { outcome: HookOutcome; toolUseID: string }) {
  const { runs, block, stop } = outcome;
  return {
    hookCount: runs.length,
    hookInfos: runs.map(({ hook }) => ({ command: hookLabel(hook) })),
    hookErrors: block === null ? [] : [block],
    preventedContinuation: stop !== null,
    stopReason: stop?.reason ?? '',
    hasOutput: block !== null || outcome.contexts.length > 0,
    level: 'suggestion',
    toolUseID,
  };
}
