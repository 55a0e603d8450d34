import * as z from 'zod/mini';
import { AnyObject, open } from './schema.ts';

const text = z.optional(z.string());
const names = z.optional(z.array(z.string()));

/** A subagent as hosts define it. */
export const AgentDefinition = open(() => ({
  /** When to use it; shown to the model. */
  description: z.string(),
  prompt: z.string(),
  /** Absent: all tools of the parent. */
  tools: names,
  disallowedTools: names,
  /** `sonnet`, `opus`, `haiku`, `inherit`, or a model id. */
  model: text,
  mcpServers: z.optional(z.array(z.union([z.string(), AnyObject]))),
  skills: names,
  maxTurns: z.optional(z.number()),
  criticalSystemReminder_EXPERIMENTAL: text,
  background: z.optional(z.boolean()),
  effort: z.optional(z.union([z.string(), z.number()])),
  permissionMode: text,
  memory: text,
  isolation: text,
  /** Where the main thread runs as this agent: the first prompt of a new session, in a turn of its own. */
  initialPrompt: text,
  /** As a subagent it is told nothing of memory files. */
  omitClaudeMd: z.optional(z.boolean()),
  /** As a subagent it compacts its conversation at this many tokens, if not before. */
  autoCompactWindow: z.optional(z.number()),
  /** Agents that watch this one, in the reference. Has no effect here. */
  observer: text,
  observerMessage: text,
}));
export type AgentDefinition = z.infer<typeof AgentDefinition>;
