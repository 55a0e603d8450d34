import { positiveInteger } from '../../util/text/setting-text.ts';
import type { Env } from '../engine/environment.ts';

/** How deep agents may start agents, and how many may run at once, unless the environment sets other limits. */
const MAX_DEPTH = 3;
const MAX_RUNNING = 50;

export interface AgentLimits {
  /** 1: only the main thread starts agents. */
  maxDepth: number;
  maxRunning: number;
}

/** `HEDDLE_MAX_AGENT_DEPTH` and `HEDDLE_MAX_AGENTS`. */
export function agentLimits(env: Env): AgentLimits {
  return {
    maxDepth: positiveInteger(env.HEDDLE_MAX_AGENT_DEPTH) ?? MAX_DEPTH,
    maxRunning: positiveInteger(env.HEDDLE_MAX_AGENTS) ?? MAX_RUNNING,
  };
}
