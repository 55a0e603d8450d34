import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeApiRequest } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { type Finished, runCli } from './cli.ts';
import type { Place } from './place.ts';

export const tasks = (place: Place, ...args: string[]): Promise<Finished> => runCli(['tasks', ...args], { place });

/** The records of a session's background tasks, as they stand on disk. */
export function recordsOf({ home }: Place, sessionId: string): JsonObject[] {
  const dir = join(home, 'background', sessionId);
  const names = readdirSync(dir).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  return names.map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')));
}

export function changeRecord({ home }: Place, record: JsonObject, changes: JsonObject): void {
  const path = join(home, 'background', String(record.session_id), `${record.task_id}.json`);
  writeFileSync(path, JSON.stringify({ ...record, ...changes }));
}

/** How often the conversation of a request tells of the end of a task. */
export function timesTold(request: FakeApiRequest | undefined, taskId: string): number {
  return JSON.stringify(request?.body ?? '').split(`<task-id>${taskId}</task-id>`).length - 1;
}
