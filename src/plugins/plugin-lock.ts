import { join } from 'node:path';
import { changeJsonFile } from '../config/json-file.ts';
import { readJsonObject } from '../config/json-object.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { type Acts, readActs } from './acts.ts';
import { integrityOf, stampOf, withEntry } from './integrity.ts';

/** What a user has accepted of one plugin: exactly this content. */
export interface LockLine {
  scope: string;
  /** For a plugin of one project. */
  projectPath?: string;
  /** As its marketplace names it. */
  source?: unknown;
  commit?: string;
  version?: string;
  integrity: string;
  acts: Acts;
  /** What its marketplace said of it, without its source. */
  entry?: JsonObject;
  acceptedAt?: string;
  /** Of the folder of this machine. */
  stamp?: string;
}

export function lockFile(configHome: string): string {
  return join(configHome, 'plugins', 'heddle-lock.json');
}

/** The lock file that a project's repository holds. */
export function projectLockFile(cwd: string): string {
  return join(cwd, '.claude', 'plugins-lock.json');
}

/** The accepted contents by plugin. Throws an Error that names the file when it cannot be read. */
export function readLock(file: string): ReadonlyMap<string, LockLine[]> {
  let values: JsonObject | null;
  try {
    values = readJsonObject(file);
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`);
  }
  const plugins = isObject(values?.plugins) ? Object.entries(values.plugins) : [];
  return new Map(plugins.map(([id, lines]) => [id, (Array.isArray(lines) ? lines : []).flatMap(lockLine)]));
}

/** Replaces the lines of one plugin; an empty list removes it. */
export async function changeLock(
  file: string,
  id: string,
  change: (lines: readonly LockLine[]) => readonly LockLine[],
): Promise<void> {
  await changeJsonFile(file, (values) => {
    const { [id]: raw, ...others } = isObject(values.plugins) ? values.plugins : {};
    const before = (Array.isArray(raw) ? raw : []).flatMap(lockLine);
    const after = change(before);
    const plugins = after.length === 0 ? others : sorted({ ...others, [id]: after });
    return { ...values, version: 1, plugins };
  });
}

/** The lines that count in a directory. */
export function linesFor(lines: readonly LockLine[] | undefined, cwd: string): LockLine[] {
  return (lines ?? []).filter(({ projectPath }) => projectPath === undefined || projectPath === cwd);
}

export type Standing = { line: LockLine } | { line: null; why: 'unknown' | 'changed'; problem?: string };

/** Whether the content of a folder is what one of the lines accepts. Reads its files only where one was written. */
export function standingOf(folder: string, lines: readonly LockLine[]): Standing {
  if (lines.length === 0) return { line: null, why: 'unknown' };
  try {
    const stamp = stampOf(folder);
    const known = lines.find((line) => line.stamp === stamp);
    if (known) return { line: known };
    const { integrity } = integrityOf(folder);
    const same = lines.find((line) => line.integrity === withEntry(integrity, line.entry));
    return same ? { line: same } : { line: null, why: 'changed' };
  } catch (error) {
    return { line: null, why: 'changed', problem: messageOf(error) };
  }
}

function lockLine(value: unknown): LockLine[] {
  const integrity = stringField(value, 'integrity');
  const scope = stringField(value, 'scope');
  if (!isObject(value) || integrity === undefined || scope === undefined) return [];
  const acts = readActs(value.acts);
  if (!acts) return [];
  const texts = ['projectPath', 'commit', 'version', 'acceptedAt', 'stamp'].flatMap((key) => {
    const text = stringField(value, key);
    return text === undefined ? [] : [[key, text]];
  });
  return [
    {
      scope,
      integrity,
      acts,
      ...(value.source !== undefined && { source: value.source }),
      ...(isObject(value.entry) && { entry: value.entry }),
      ...Object.fromEntries(texts),
    },
  ];
}

/** So that a lock file in a repository changes line by line. */
function sorted(plugins: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(plugins).sort(([a], [b]) => (a < b ? -1 : 1)));
}
