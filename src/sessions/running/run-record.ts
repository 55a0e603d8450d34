import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { namesIn } from '../files/session-folders.ts';

/** How the two ends of an attached session talk. Another number: they cannot. */
export const ATTACH_VERSION = 1;

export type RunState = 'idle' | 'busy' | 'asking';

/**
 * What a process tells about the session that it runs, in `<home>/run/<session>.json`: only sessions that can be joined
 * have such a file. It is written when the state changes. The lease says whether the process is alive.
 */
export interface RunRecord {
  session_id: string;
  pid: number;
  cwd: string;
  state: RunState;
  /** Whether a terminal shows the session. */
  terminal: boolean;
  /** How many hosts are attached, its own terminal included. */
  hosts: number;
  heddle_version: string;
  attach_version: number;
}

export function runFolder(home: string): string {
  return join(home, 'run');
}

export function socketFile(home: string, sessionId: string): string {
  return join(runFolder(home), `${sessionId}.sock`);
}

/** Makes the folder where it is missing. */
export async function writeRunRecord(home: string, record: RunRecord): Promise<void> {
  makeDirectory(runFolder(home), 0o700);
  await replacePrivateText(recordFile(home, record.session_id), `${JSON.stringify(record)}\n`);
}

export function removeRunRecord(home: string, sessionId: string): void {
  rmSync(recordFile(home, sessionId), { force: true });
}

/** Null where there is none, or none that can be read. */
export function readRunRecord(home: string, sessionId: string): RunRecord | null {
  const text = smallText(recordFile(home, sessionId), MAX_BYTES);
  const value = text === null ? null : tryParseJson(text);
  return isObject(value) && isRecord(value) ? value : null;
}

/** Removes the records and sockets of sessions that `isRunning` does not know. */
export function removeLeftRuns(home: string, isRunning: (sessionId: string) => boolean): void {
  for (const name of namesIn(runFolder(home))) {
    const [, sessionId = ''] = /^([0-9a-f-]{36})\.(?:json|sock)$/.exec(name) ?? [];
    if (sessionId !== '' && !isRunning(sessionId)) rmSync(join(runFolder(home), name), { force: true });
  }
}

const MAX_BYTES = 16_384;

function recordFile(home: string, sessionId: string): string {
  return join(runFolder(home), `${sessionId}.json`);
}

function isRecord(value: JsonObject): value is JsonObject & RunRecord {
  const { session_id, pid, cwd, state, terminal, hosts, heddle_version, attach_version } = value;
  const texts = [session_id, cwd, heddle_version].every((each) => typeof each === 'string');
  const numbers = [pid, hosts, attach_version].every(Number.isSafeInteger);
  return texts && numbers && typeof terminal === 'boolean' && ['idle', 'busy', 'asking'].includes(String(state));
}
