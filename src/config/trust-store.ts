import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { actingFiles } from './acting-files.ts';
import { changeJsonFile } from './json-file.ts';
import { readRegularFile, readSettingsFile } from './settings-file.ts';

/** What was agreed to: the directory, and what its executable configuration was then. */
export type Trust = 'trusted' | 'changed' | 'untrusted';

/** The files of a project that can make something run or grant something. */
const EXECUTABLE = [join('.claude', 'settings.json'), join('.claude', 'settings.local.json'), '.mcp.json'];

export function executableFiles(cwd: string): string[] {
  return EXECUTABLE.map((name) => join(cwd, name));
}

export function trustFile(configHome: string): string {
  return join(configHome, 'trust.json');
}

/** Whether the user has called this directory (a real path) trustworthy as it is now. A changed one is not. */
export function trustOf(cwd: string, configHome: string | null): Trust {
  const workspaces = configHome === null ? {} : workspacesIn(readSettingsFile(trustFile(configHome)));
  const entry = Object.hasOwn(workspaces, cwd) ? workspaces[cwd] : undefined;
  if (!isObject(entry)) return 'untrusted';
  return entry.hash === configurationHash(cwd) ? 'trusted' : 'changed';
}

export interface TrustedDirectory {
  directory: string;
  trust: Trust;
  /** ISO 8601, as far as it is known. */
  since?: string;
}

/** Every directory that the user has called trustworthy, with what has become of it. */
export function trustedDirectories(configHome: string): TrustedDirectory[] {
  const workspaces = workspacesIn(readSettingsFile(trustFile(configHome)));
  return Object.entries(workspaces).map(([directory, entry]) => {
    const since = stringField(entry, 'trustedAt');
    return { directory, trust: trustOf(directory, configHome), ...(since !== undefined && { since }) };
  });
}

export interface TrustChange {
  isTrusted: boolean;
  now: number;
  /** The configuration that is agreed to. Default: as it is now. */
  hash?: string;
}

/** Remembers that the directory is trusted, or no longer: as it is now, also where this has to wait. */
export async function setTrust(cwd: string, configHome: string, change: TrustChange): Promise<void> {
  const { isTrusted, now, hash = configurationHash(cwd) } = change;
  const entry: JsonObject = { hash, trustedAt: new Date(now).toISOString() };
  await changeJsonFile(trustFile(configHome), (file) => {
    const { [cwd]: _, ...others } = workspacesIn(file);
    return { ...file, version: 1, workspaces: isTrusted ? { ...others, [cwd]: entry } : others };
  });
}

/** The same as long as nobody changes a file that could make something run. */
export function configurationHash(cwd: string): string {
  const hash = createHash('sha256');
  for (const name of EXECUTABLE) hash.update(`${name}\0${contentOf(join(cwd, name))}\0`);
  for (const { file, hash: content } of actingFiles(cwd)) hash.update(`${file}\0${content}\0`);
  return hash.digest('hex');
}

function workspacesIn(file: JsonObject | null): JsonObject {
  return isObject(file?.workspaces) ? file.workspaces : {};
}

/** Nobody has trusted the project yet, so that it may be a pipe or a device. What cannot be read has no say either. */
function contentOf(path: string): string {
  try {
    return readRegularFile(path) ?? '\0absent';
  } catch {
    return '\0unreadable';
  }
}
