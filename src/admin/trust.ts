import { existsSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { actingFiles } from '../config/acting-files.ts';
import { originsOf } from '../config/provenance.ts';
import { formatKey } from '../config/setting-key.ts';
import { readSettingsFile } from '../config/settings-file.ts';
import {
  configurationHash,
  executableFiles,
  setTrust,
  type Trust,
  type TrustedDirectory,
  trustedDirectories,
  trustOf,
} from '../config/trust-store.ts';
import { narrowUntrusted, withoutEndpoints } from '../permissions/trust.ts';
import type { JsonObject } from '../util/json.ts';

/** What a directory asks to be trusted with. */
export interface TrustView {
  directory: string;
  trust: Trust;
  files: TrustedFile[];
  /** What was looked at: only that can be trusted. */
  hash: string;
}

export interface TrustedFile {
  /** Relative to the directory. */
  file: string;
  /** What acts only with trust, in full: nothing may hide from whoever decides. */
  needsTrust: { key: string; value: unknown }[];
  /** What never acts, trusted or not. */
  never: string[];
}

/** Throws `invalid_settings` for a file that cannot be read: nobody should trust what nobody can see. */
export function viewTrust(directory: string, configHome: string): TrustView {
  const hash = configurationHash(directory); // before the look: what changes meanwhile is not what is agreed to
  const files = executableFiles(directory).flatMap((path) => {
    const values = readSettingsFile(path);
    return values === null ? [] : [viewFile(relative(directory, path), path, values)];
  });
  const extensions = actingFiles(directory).map(({ file, parts }) => ({ file, needsTrust: parts, never: [] }));
  return { directory, trust: trustOf(directory, configHome), files: [...files, ...extensions], hash };
}

/** Trusts a directory as it was when it was looked at. */
export async function trustDirectory({ directory, hash }: TrustView, configHome: string): Promise<void> {
  await setTrust(directory, configHome, { isTrusted: true, now: Date.now(), hash });
}

/** False when it was not trusted anyway. The directory need not exist any more. */
export async function distrustDirectory(directory: string, configHome: string): Promise<boolean> {
  if (!listTrust(configHome).some((each) => each.directory === directory)) return false;
  await setTrust(directory, configHome, { isTrusted: false, now: Date.now() });
  return true;
}

export interface ListedDirectory extends TrustedDirectory {
  exists: boolean;
}

export function listTrust(configHome: string): ListedDirectory[] {
  return trustedDirectories(configHome).map((each) => ({ ...each, exists: existsSync(each.directory) }));
}

function viewFile(file: string, path: string, values: JsonObject): TrustedFile {
  const { values: possible, ignored: never } = withoutEndpoints(values);
  // Everything in the file of servers starts programs.
  const keys = basename(path) === '.mcp.json' ? Object.keys(values) : narrowUntrusted(possible).ignored;
  const needs = ([first = '', second]: readonly string[]) =>
    keys.includes(first) || keys.includes(`${first}.${second}`);
  const all = originsOf([{ scope: 'projectSettings', path, values: possible }]);
  return {
    file,
    needsTrust: all
      .filter((origin) => needs(origin.path))
      .map((origin) => ({ key: formatKey(origin.path), value: origin.value })),
    never,
  };
}
