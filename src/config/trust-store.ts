import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { filesNeedingTrust } from './extensions/files-needing-trust.ts';
import { changeJsonFile } from './json-file.ts';
import { readRegularFile, readSettingsFile } from './settings/settings-file.ts';

/** Whether the user trusted the directory with its current executable configuration. */
export type Trust = 'trusted' | 'changed' | 'untrusted';

/** The files of a project that can run or grant something. */
const EXECUTABLE = [join('.claude', 'settings.json'), join('.claude', 'settings.local.json'), '.mcp.json'];

export function executableFiles(cwd: string): string[] {
  return EXECUTABLE.map((name) => join(cwd, name));
}

export function trustFile(configHome: string): string {
  return join(configHome, 'trust.json');
}

/** Whether the user trusts this directory (a real path) in its current state. A changed directory is not trusted. */
export function trustOf(cwd: string, configHome: string | null): Trust {
  const workspaces = configHome === null ? {} : workspacesIn(readSettingsFile(trustFile(configHome)));
  const entry = Object.hasOwn(workspaces, cwd) ? workspaces[cwd] : undefined;
  if (!isObject(entry)) return 'untrusted';
  return entry.hash === configurationHash(cwd) ? 'trusted' : 'changed';
}

export interface TrustedDirectory {
  directory: string;
  trust: Trust;
  /** ISO 8601, where known. */
  since?: string;
}

/** Every directory that the user has trusted, with its current state. */
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
  /** The configuration that the user agreed to. Default: the current one. */
  hash?: string;
}

/** Records that the directory is trusted, or no longer: in its state at the call, even where the call has to wait. */
export async function setTrust(cwd: string, configHome: string, change: TrustChange): Promise<void> {
  const { isTrusted, now, hash = configurationHash(cwd) } = change;
  const entry: JsonObject = { hash, trustedAt: new Date(now).toISOString() };
  await changeJsonFile(trustFile(configHome), (file) => {
    const { [cwd]: _, ...others } = workspacesIn(file);
    return { ...file, version: 1, workspaces: isTrusted ? { ...others, [cwd]: entry } : others };
  });
}

/** Stays the same until a file changes that could run something. */
export function configurationHash(cwd: string): string {
  const hash = createHash('sha256');
  for (const name of EXECUTABLE) hash.update(`${name}\0${contentOf(join(cwd, name))}\0`);
  for (const { file, hash: content } of filesNeedingTrust(cwd)) hash.update(`${file}\0${content}\0`);
  return hash.digest('hex');
}

function workspacesIn(file: JsonObject | null): JsonObject {
  return isObject(file?.workspaces) ? file.workspaces : {};
}

/**
 * The project may be untrusted, so that the file may be a pipe or a device. An unreadable file has no effect either.
 */
function contentOf(path: string): string {
  try {
    const text = readRegularFile(path);
    if (text === null) return '\0absent';
    // Else a file with zero bytes could stand for several files: trusted as one that is faulty, it would act as the others.
    return text.includes('\0') ? `\0${createHash('sha256').update(text).digest('hex')}` : text;
  } catch {
    return '\0unreadable';
  }
}
