import { type Plugin, readPlugin } from '../config/extensions/plugins.ts';
import type { JsonObject } from '../util/json.ts';
import { type Acts, actsOf } from './acts.ts';
import { type FolderIntegrity, integrityOf, withEntry } from './integrity.ts';
import type { LockLine } from './plugin-lock.ts';

/** A plugin in a folder of this machine: its contents, and exactly which content they are. */
export interface Examined extends FolderIntegrity {
  plugin: Plugin;
  acts: Acts;
  /** What its marketplace says of it, as far as it counts for its contents; null: nothing. */
  entry: JsonObject | null;
  /** Problems in its files, each for a line. */
  problems: string[];
}

/** Throws an Error with the reason when the folder is no plugin, or cannot be checked. */
export function examine(folder: string, { name, entry }: { name: string; entry: JsonObject | null }): Examined {
  const problems: string[] = [];
  const notes = {
    warn: (file: string, problem: string, line?: number) => {
      problems.push(
        `${file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file}${line === undefined ? '' : `:${line}`}: ${problem}`,
      );
    },
    ignore() {},
  };
  const kept = entry && relevantEntry(entry);
  const plugin = readPlugin(folder, { notes, name, entry: kept });
  const content = integrityOf(folder);
  const integrity = withEntry(content.integrity, kept);
  return { ...content, integrity, plugin, acts: actsOf(plugin, content.files), entry: kept, problems };
}

/** The line that accepts a content in a scope. */
export function lineOf(
  { integrity, stamp, acts, entry, plugin }: Examined,
  {
    scope,
    projectPath,
    now,
    ...origin
  }: Pick<LockLine, 'scope' | 'projectPath' | 'source' | 'commit'> & { now: number },
): LockLine {
  return {
    scope,
    ...(projectPath !== undefined && { projectPath }),
    ...origin,
    ...(plugin.version !== undefined && { version: plugin.version }),
    integrity,
    acts,
    ...(entry && { entry }),
    acceptedAt: new Date(now).toISOString(),
    stamp,
  };
}

/** The rest of an entry is for lists: another description is no other content. */
const RELEVANT: readonly string[] = [
  ...['name', 'version', 'strict', 'commands', 'agents', 'skills', 'hooks', 'mcpServers', 'lspServers'],
  ...['outputStyles', 'userConfig', 'dependencies', 'settings'],
];

function relevantEntry(entry: JsonObject): JsonObject | null {
  const kept = Object.entries(entry).filter(([key]) => RELEVANT.includes(key));
  return kept.length > 0 ? Object.fromEntries(kept) : null;
}
