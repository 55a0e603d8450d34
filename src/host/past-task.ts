import { join } from 'node:path';
import { readTaskRecords, taskNow, taskRecordsDir } from '../sessions/task-records.ts';
import type { TaskType } from '../tools/background-tasks.ts';
import type { PastTask } from '../tools/tool-session.ts';
import type { Parts } from './parts.ts';

/** What earlier processes of the session have kept of a task, its last run; null: nothing. */
export function findPastTask({ sessionId, transcript }: Parts, home: string, id: string): PastTask | null {
  const dir = taskRecordsDir(home, sessionId);
  const record = readTaskRecords(dir).findLast(({ record: { task_id } }) => task_id === id)?.record;
  if (!record) return null;
  const { state, exitCode } = taskNow(record, dir);
  // A record says where its output is, but whoever can change one must not have any file shown.
  const outputFile = join(transcript.spillDir, 'tasks', `${id}.output`);
  const hasFile = record.task_type === 'local_bash' && record.output_file === outputFile;
  return {
    id,
    type: record.task_type as TaskType,
    description: record.description,
    status: state === 'lost' ? 'killed' : state,
    exitCode,
    outputFile,
    ...(!hasFile && { output: record.result ?? '' }),
  };
}
