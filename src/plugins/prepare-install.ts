import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { smallText } from '../util/files/small-file.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { type Acts, isEmpty, newActs } from './acts.ts';
import { type CatalogEntry, catalogOf, entryOf } from './catalog.ts';
import { type Examined, examine } from './examine.ts';
import { isOfThisMachine, knownMarketplace, type PluginStore } from './marketplaces.ts';
import { pluginError, splitId } from './plugin-error.ts';
import {
  installedPlugins,
  isOfScope,
  type KnownMarketplace,
  knownMarketplaces,
  type PluginHome,
  type PluginRecord,
  stagingFolder,
} from './plugin-home.ts';
import { type LockLine, linesFor, lockFile, readLock } from './plugin-lock.ts';
import { fetchPlugin, relativeFolder } from './sources/fetch-plugin.ts';
import { isCommit } from './sources/git.ts';

/** A plugin that was fetched and is not installed yet: what a person decides about. */
export interface PreparedPlugin {
  /** `name@marketplace`. */
  id: string;
  name: string;
  marketplace: string;
  scope: string;
  entry: CatalogEntry;
  version: string;
  commit?: string;
  /** The new copy, which is not in the cache yet. */
  folder: string;
  examined: Examined;
  /** What of it acts and was not accepted before; null: nothing. */
  fresh: Acts | null;
  /** The installation of this scope, if there is one. */
  before: { record: PluginRecord; line: LockLine | null } | null;
  /** Whether what is installed and accepted is this very content. */
  isSame: boolean;
  /** Removes what was fetched. */
  drop(): void;
}

export interface CandidatePlugin {
  id: string;
  name: string;
  known: KnownMarketplace;
  entry: CatalogEntry;
}

/** The plugin that a person names, with or without its marketplace. Throws `plugin_failed`. */
export function findListed(home: PluginHome, given: string): CandidatePlugin {
  const { name, marketplace } = splitId(given);
  if (marketplace !== null) {
    const known = knownMarketplace(home, marketplace);
    return { id: `${name}@${marketplace}`, name, known, entry: entryOf(catalogOf(known), name) };
  }
  const all = knownMarketplaces(home);
  const problems: unknown[] = [];
  const found = all.flatMap((known) => {
    try {
      const entry = catalogOf(known).entries.find((each) => each.name === name);
      return entry ? [{ id: `${name}@${known.name}`, name, known, entry }] : [];
    } catch (error) {
      problems.push(error);
      return [];
    }
  });
  const [first, second] = found;
  if (first && !second) return first;
  if (first) throw pluginError(`Several marketplaces have a plugin ${name}: ${found.map(({ id }) => id).join(', ')}`);
  const where = all.length === 0 ? 'no marketplace was added' : `in ${all.map((each) => each.name).join(', ')}`;
  throw (
    problems[0] ??
    pluginError(`There is no plugin ${name} (${where}): heddle plugin marketplace add SOURCE adds a marketplace`)
  );
}

/** Fetches a plugin into a folder of its own, and looks at it. Rejects with `plugin_failed`; nothing is installed then. */
export async function preparePlugin(
  { home, tools }: PluginStore,
  { id, name, known, entry }: CandidatePlugin,
  scope: string,
): Promise<PreparedPlugin> {
  const staging = stagingFolder(home);
  const drop = () => rmSync(staging, { recursive: true, force: true });
  try {
    const catalog = catalogOf(known);
    const fetched = await fetchPlugin({ catalog, entry, mayBeLocal: isOfThisMachine(known) }, staging, tools);
    const inPlace = directoryOfPlugin(known, entry);
    // What a session reads is what is accepted: a directory is read in place.
    const examined = examine(inPlace ?? fetched.folder, { name, entry: entry.values });
    const before = installedIn(home, id, scope);
    const old = before?.line ?? null;
    const commit = fetched.commit ?? (inPlace === null ? commitOf(known.installLocation) : undefined);
    const declared = examined.plugin.version;
    const version = declared ?? commit?.slice(0, 12) ?? 'unknown';
    return {
      ...{ id, name, marketplace: known.name, scope, entry, version, folder: fetched.folder, examined, before, drop },
      ...(commit !== undefined && { commit }),
      fresh: old ? newActs(old.acts, examined.acts) : isEmpty(examined.acts) ? null : examined.acts,
      // Another commit of its marketplace need not change it.
      isSame: old?.integrity === examined.integrity && [undefined, before?.record.version].includes(declared),
    };
  } catch (error) {
    drop();
    throw error;
  }
}

/** The commit of a marketplace that was cloned; undefined where a branch is checked out, or there is no repository. */
function commitOf(clone: string): string | undefined {
  const head = smallText(join(clone, '.git', 'HEAD'), 1000)?.trim();
  return head !== undefined && isCommit(head) ? head : undefined;
}

/** The folder of a plugin whose marketplace is read where it is; null for any other. */
export function directoryOfPlugin(known: KnownMarketplace, entry: CatalogEntry): string | null {
  const { source } = entry.values;
  const kind = stringField(known.source, 'source');
  if (typeof source !== 'string' || (kind !== 'directory' && kind !== 'file')) return null;
  return relativeFolder({ catalog: catalogOf(known), entry }, source).folder;
}

/** The installation of a plugin in a scope, with what was accepted of it. */
export function installedIn(home: PluginHome, id: string, scope: string): PreparedPlugin['before'] {
  const record = installedPlugins(home)
    .get(id)
    ?.find((each) => isOfScope(home, scope, each));
  if (!record) return null;
  const lines = linesFor(readLock(lockFile(home.configHome)).get(id), home.cwd).filter((line) =>
    isOfScope(home, scope, { ...line }),
  );
  return { record, line: lines.at(-1) ?? null };
}

/** The plugins of the same marketplace that a plugin needs, in the order in which to install them. */
export function dependenciesOf(home: PluginHome, plugin: CandidatePlugin): CandidatePlugin[] {
  const found = new Map<string, CandidatePlugin>();
  const visit = (each: CandidatePlugin) => {
    for (const name of namesIn(each.entry.values.dependencies)) {
      const needed = findListed(home, name.includes('@') ? name : `${name}@${each.known.name}`);
      if (needed.known.name !== each.known.name) {
        throw pluginError(`${each.id} needs ${needed.id} of another marketplace: install that one yourself`);
      }
      if (found.has(needed.id) || needed.id === plugin.id) continue;
      found.set(needed.id, needed);
      visit(needed);
    }
  };
  visit(plugin);
  return [...found.values()].reverse();
}

function namesIn(dependencies: unknown): string[] {
  const all = Array.isArray(dependencies) ? dependencies : isObject(dependencies) ? Object.keys(dependencies) : [];
  return all.flatMap((each: unknown) => {
    const name = isObject(each) ? stringField(each as JsonObject, 'name') : each;
    return typeof name === 'string' ? [name] : [];
  });
}
