import { definePort } from '../port.ts';
import type { BackgroundTask, BackgroundTasks } from './background-tasks.ts';

export interface BackgroundPort {
  /** The background tasks of all agents of the session. */
  readonly tasks: BackgroundTasks;
  /** The last state of a task of an earlier process of the session; null when it is unknown. Absent on agents. */
  earlierTask?(id: string): Promise<EarlierTask | null>;
}

export const backgroundPort = definePort<BackgroundPort>('background');

/** The public data of a task, running or past. */
export interface EarlierTask
  extends Pick<BackgroundTask, 'id' | 'type' | 'description' | 'status' | 'exitCode' | 'agent'> {
  outputFile: string;
  outputSource?: string;
  /** The output, when there is no file to read. */
  output?: string;
}
