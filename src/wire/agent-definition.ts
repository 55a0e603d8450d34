import * as z from 'zod/mini';
import { AnyObject, open } from './schema.ts';

const text = z.optional(z.string());
const names = z.optional(z.array(z.string()));

/** A subagent, as a host defines it. */
export const AgentDefinition = open(() => ({
  /** When the model should use the agent. The model reads this text. */
  description: z.string(),
  prompt: z.string(),
  /** The tools that the agent may use. Absent: all tools of the parent. */
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
  /** The first prompt of a new session whose main thread runs as this agent. The prompt gets its own turn. */
  initialPrompt: text,
  /** True: a subagent of this kind does not get the memory files. */
  omitClaudeMd: z.optional(z.boolean()),
  /** A subagent of this kind compacts its conversation at this number of tokens at the latest. */
  autoCompactWindow: z.optional(z.number()),
  /** Agents that watch this one in the reference. Heddle ignores the field. */
  observer: text,
  observerMessage: text,
}));
export type AgentDefinition = z.infer<typeof AgentDefinition>;
