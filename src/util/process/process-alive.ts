import { hostname } from 'node:os';
import { errorCode } from './error-code.ts';

/** A process, as others can name it in a file that they share. */
export interface ProcessName {
  pid: number;
  host: string;
}

export function thisProcess(): ProcessName {
  return { pid: process.pid, host: hostname() };
}

/** Whether it has surely ended. Of a process on another host nobody here knows; a number in use again counts as alive. */
export function hasEnded({ pid, host }: ProcessName): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
