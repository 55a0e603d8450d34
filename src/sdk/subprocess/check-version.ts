import { warnProcess } from '../../util/process/process-warning.ts';

/** Older agents use another dialect. */
const OLDEST = [2, 0, 0] as const;
const SKIP = 'CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK';

type Environment = Record<string, string | undefined>;

/** Warns when an agent is too old. An agent that says no version passes. */
export function warnIfOld(version: string, env: Environment = process.env): void {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!numbers || isSkipped(env) || !isBefore(numbers, OLDEST)) return;
  const wanted = OLDEST.join('.');
  warnProcess(
    `The agent has version ${numbers.join('.')}, and ${wanted} is the oldest that is supported (${SKIP}=1 is silent)`,
  );
}

/** Whether the environment of the agent or of this program switches the check off. */
export function isSkipped(env: Environment): boolean {
  return Boolean(env[SKIP] ?? process.env[SKIP]);
}

function isBefore(numbers: readonly number[], other: readonly number[]): boolean {
  const at = numbers.findIndex((number, index) => number !== other[index]);
  return at >= 0 && (numbers[at] ?? 0) < (other[at] ?? 0);
}
