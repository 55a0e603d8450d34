import { execFile } from 'node:child_process';
import { warnProcess } from '../util/process-warning.ts';

/** Agents before this one speak another dialect. */
const OLDEST = [2, 0, 0] as const;
const SKIP = 'CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK';
const TIMEOUT_MS = 5000;

type Environment = Record<string, string | undefined>;

/** Asks an agent for its version, beside its start, and warns when it is too old. An agent that does not say is let be. */
export function checkVersion(command: string, args: readonly string[], env: Environment = process.env): void {
  if (isSkipped(env)) return;
  const child = execFile(command, [...args, '-v'], { env, timeout: TIMEOUT_MS }, (error, stdout) => {
    if (!error) warnIfOld(stdout, env);
  });
  child.unref(); // a program that is done shall not wait for this
}

export function warnIfOld(version: string, env: Environment = process.env): void {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!numbers || isSkipped(env) || !isBefore(numbers, OLDEST)) return;
  const wanted = OLDEST.join('.');
  warnProcess(
    `The agent has version ${numbers.join('.')}, and ${wanted} is the oldest that is supported (${SKIP}=1 is silent)`,
  );
}

function isSkipped(env: Environment): boolean {
  return Boolean(env[SKIP] ?? process.env[SKIP]);
}

function isBefore(numbers: readonly number[], other: readonly number[]): boolean {
  const at = numbers.findIndex((number, index) => number !== other[index]);
  return at >= 0 && (numbers[at] ?? 0) < (other[at] ?? 0);
}
