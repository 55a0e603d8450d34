import { positiveInteger } from '../../util/setting-text.ts';
import type { Parts } from '../parts.ts';

/** How deep agents may start agents, and how many may be at work at once, unless the environment says otherwise. */
const MAX_DEPTH = 3;
const MAX_RUNNING = 50;

export interface AgentLimits {
  /** 1: only the main thread starts agents. */
  maxDepth: number;
  maxRunning: number;
}

/** `HEDDLE_MAX_AGENT_DEPTH` and `HEDDLE_MAX_AGENTS`. */
export function agentLimits(toolContext: Parts['toolContext']): AgentLimits {
  const { env } = toolContext('', NEVER);
  return {
    maxDepth: positiveInteger(env.HEDDLE_MAX_AGENT_DEPTH) ?? MAX_DEPTH,
    maxRunning: positiveInteger(env.HEDDLE_MAX_AGENTS) ?? MAX_RUNNING,
  };
}

const NEVER = new AbortController().signal;
