import { hostname } from 'node:os';
import { errorCode } from '../error-code.ts';

/** A process, as other processes name it in a shared file. */
export interface ProcessName {
  pid: number;
  host: string;
}

export function thisProcess(): ProcessName {
  return { pid: process.pid, host: hostname() };
}

/**
 * Whether the process has surely ended. False for a process on another host, whose state is unknown here; a process id
 * in use again counts as alive.
 */
export function hasEnded({ pid, host }: ProcessName): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
