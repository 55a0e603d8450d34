import { basename, relative } from 'node:path';
import { filesNeedingTrust } from '../../config/extensions/files-needing-trust.ts';
import { originsOf } from '../../config/settings/provenance.ts';
import { formatKey } from '../../config/settings/setting-key.ts';
import { readSettingsFile } from '../../config/settings/settings-file.ts';
import { configurationHash, executableFiles, type Trust, trustOf } from '../../config/trust-store.ts';
import { narrowUntrusted, withoutEndpoints } from '../../permissions/narrow-untrusted.ts';
import type { JsonObject } from '../../util/json.ts';

/** The settings and files of a directory that need trust. */
export interface TrustView {
  directory: string;
  trust: Trust;
  files: TrustedFile[];
  /** The hash of what was examined: only that can be trusted. */
  hash: string;
}

export interface TrustedFile {
  /** Relative to the directory. */
  file: string;
  /** Settings that apply only with trust, in full: nothing may be hidden from the user who decides. */
  needsTrust: { key: string; value: unknown }[];
  /** Settings that never apply, trusted or not. */
  never: string[];
}

/** Throws `invalid_settings` for a file that cannot be read: the user must not trust what cannot be shown. */
export function viewTrust(directory: string, configHome: string | null): TrustView {
  const hash = configurationHash(directory); // computed before reading: a later change is not part of the agreement
  const files = executableFiles(directory).flatMap((path) => {
    const values = readSettingsFile(path);
    return values === null ? [] : [viewFile(relative(directory, path), path, values)];
  });
  const extensions = filesNeedingTrust(directory).map(({ file, parts }) => ({ file, needsTrust: parts, never: [] }));
  return { directory, trust: trustOf(directory, configHome), files: [...files, ...extensions], hash };
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
