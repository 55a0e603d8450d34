import type { ApiMessage } from '../../model/model.ts';
import { ToolError } from '../../tools/tool.ts';
import type { ContentBlock } from '../../wire/content.ts';
import type { AgentFacts, Parts } from '../parts.ts';
import type { Past } from '../past.ts';
import { FORK } from './agent-types.ts';
import { type ChildSpec, childParts } from './child-parts.ts';

export interface ForkSpec {
  facts: AgentFacts;
  maxTurns: number | undefined;
  mode: string | undefined;
  /** What it goes on from; null for a new one. */
  past: Past | null;
  worktree?: ChildSpec['worktree'];
}

/**
 * An agent that goes on from where its caller is: the same model, prompt, tools and conversation, so that each of its
 * requests begins with the bytes of the caller's last one, which the provider has in its cache. Throws ToolError where
 * there can be none.
 */
export async function forkOf(parent: Parts, { facts, maxTurns, mode, past, worktree }: ForkSpec): Promise<Parts> {
  if (parent.agent?.type === FORK.name) {
    throw new ToolError('You are a fork yourself, and a fork is not forked again. Do the work, or start another kind.');
  }
  if (worktree) throw new ToolError('A fork works where you do: it has no worktree of its own.');
  const child = await childParts(parent, {
    facts,
    type: FORK,
    systemPrompt: null,
    notes: parent.notes,
    chosen: parent.extras.chosen ?? parent.chosen,
    maxTurns,
    mode,
    past,
  });
  if (past === null) await inherit(parent, child, facts.toolUseId);
  // It is in the conversation already.
  child.reminders.told(await child.reminders.news());
  return child;
}

/** What the caller knows; recorded once more, so that the fork can be gone on with by itself. */
async function inherit(parent: Parts, child: Parts, toolUseId: string): Promise<void> {
  child.messages.push(...upToCall(parent.messages, toolUseId));
  child.context.tokens = parent.context.tokens;
  const signal = new AbortController().signal;
  const { files } = child.toolContext('', signal);
  for (const [path, state] of parent.toolContext('', signal).files) files.set(path, state);
  await child.recorder.keep(child.messages.map((kept) => ({ kept, uuid: child.runtime.ids.uuid() })));
}

/** The conversation with the answer that called, each of whose calls gets the same result: forks of one answer share it. */
function upToCall(messages: readonly ApiMessage[], toolUseId: string): ApiMessage[] {
  const calls = (messages.at(-1)?.content ?? []).filter((block) => block.type === 'tool_use');
  if (!calls.some(({ id }) => id === toolUseId)) throw new ToolError('There is no conversation here to be forked.');
  const content = calls.map(({ id }): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content: FORKED }));
  return [...messages, { role: 'user', content }];
}

const FORKED = `You are a fork: an agent that was made by one of these calls and knows all that was said up to here. Another goes on with the conversation and gets the results of the calls; you get none of them. Do only what you are asked to below, yourself. Nobody answers questions. Your last message is your report, and all that comes back of your work.`;
