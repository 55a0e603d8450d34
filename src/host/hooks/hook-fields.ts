import { lastSaid, userContent } from '../agent/conversation.ts';
import type { StopVerdict } from '../agent/turn.ts';
import type { HookOutcome } from '../hooks/fold.ts';
import { hookLabel } from '../hooks/hook.ts';
import { informationalLine } from '../hooks/hook-lines.ts';
import type { JsonObject } from '../util/json.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { CalledPrompt } from './extensions.ts';
import type { Parts } from './parts.ts';
import { effortOf } from './request-settings.ts';

export function promptText({ message }: UserInput): string {
  return userContent(message)
    .flatMap((block) => (block.type === 'text' ? block.text : []))
    .join('\n');
}

/** How much work the model puts into the turn, where it is told. */
export function effortField(parts: Parts): { effort?: { level: string } } {
  const level = effortOf(parts, parts.extras.chosen ?? parts.chosen);
  return level === undefined ? {} : { effort: { level } };
}

export function isHeldUp({ block, stop }: HookOutcome): boolean {
  return block !== null || stop !== null;
}

export function expansionFields({ prompt: { name, scope }, args }: CalledPrompt, prompt: string): JsonObject {
  const command = { command_name: name, command_args: args, command_source: scope };
  return { expansion_type: 'slash_command', ...command, prompt };
}

/** What a Stop hook may want to look at: the last words, and what still runs. */
export function stopFields({ messages, toolSession }: Pick<Parts, 'messages' | 'toolSession'>): JsonObject {
  const tasks = toolSession.backgroundTasks.pending();
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
