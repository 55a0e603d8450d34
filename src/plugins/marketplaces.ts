import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../config/json-file.ts';
import type { FileScope } from '../config/settings/scopes.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import { isObject, isTexts, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import { type Catalog, catalogOf, parseCatalog, readCatalog } from './catalog.ts';
import { checkedSource, type MarketplaceSource, originOf, sourceText, withoutPassword } from './marketplace-source.ts';
import { pluginError } from './plugin-error.ts';
import {
  changeMarketplaces,
  type KnownMarketplace,
  knownMarketplaces,
  type PluginHome,
  pluginFolder,
  replaceFolder,
  stagingFolder,
  whileAlone,
} from './plugin-home.ts';
import { download } from './sources/download.ts';
import { checkOut, githubUrl } from './sources/git.ts';
import { fetchPackage } from './sources/npm.ts';
import type { FetchTools } from './sources/tools.ts';

/** Where plugins are kept, and what changing them takes. */
export interface PluginStore {
  home: PluginHome;
  tools: FetchTools;
  /** Changes a settings file for the user. */
  changeSettings(scope: FileScope, change: Change): Promise<void>;
}

/** The scopes of plugins and marketplaces, with the settings file of each. */
export const SETTINGS_OF: Readonly<Record<string, FileScope>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
};

export interface AddedMarketplace {
  name: string;
  catalog: Catalog;
  /** It was there before, from the same source. */
  isKnown: boolean;
}

/** Adds a marketplace, or fetches it again when it is there. Rejects with `plugin_failed`. */
export async function addMarketplace(store: PluginStore, given: unknown, scope: string): Promise<AddedMarketplace> {
  const { home, changeSettings } = store;
  const source = checkedSource(given);
  refuseSharedPassword(source, scope);
  const staging = stagingFolder(home);
  try {
    const fetched = await fetchMarketplace(store, source, staging);
    const { name } = fetched.catalog;
    refuseReserved(name, source);
    const all = knownMarketplaces(home);
    const before = all.find((each) => each.name === name);
    // Their copies would be one folder on some systems.
    const twin = all.find((each) => each.name !== name && each.name.toLowerCase() === name.toLowerCase());
    if (twin) throw pluginError(`There is a marketplace ${twin.name}, and ${name} differs from it only in case`);
    if (before && !isDeepStrictEqual({ ...before.source }, { ...source })) {
      const where = sourceText(before.source);
      throw pluginError(
        `There is a marketplace ${name} from ${where}: heddle plugin marketplace remove ${name} removes it`,
      );
    }
    await whileAlone(home, async () => {
      await keepMarketplace(store, name, { source, fetched });
      await changeSettings(settingsScope(scope), (values) => {
        const all = isObject(values.extraKnownMarketplaces) ? values.extraKnownMarketplaces : {};
        const entry = isObject(all[name]) ? all[name] : {};
        return { ...values, extraKnownMarketplaces: { ...all, [name]: { ...entry, source } } };
      });
    });
    return {
      name,
      catalog: catalogOf({ name, source, ...locationOf(home, name, fetched) }),
      isKnown: before !== undefined,
    };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Fetches a marketplace again. What is installed from it stays as it is. */
export async function updateMarketplace(store: PluginStore, known: KnownMarketplace): Promise<Catalog> {
  const { home } = store;
  const source = checkedSource(known.source);
  const staging = stagingFolder(home);
  try {
    const fetched = await fetchMarketplace(store, source, staging);
    if (fetched.catalog.name !== known.name) {
      throw pluginError(
        `The marketplace ${known.name} has the name ${fetched.catalog.name} now: remove it, and add it again`,
      );
    }
    await whileAlone(home, () => keepMarketplace(store, known.name, { source, fetched }));
    return fetched.catalog;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Works with a marketplace as it is now, and keeps nothing of it. */
export async function peekMarketplace<T>(
  store: PluginStore,
  known: KnownMarketplace,
  work: (current: KnownMarketplace) => Promise<T>,
): Promise<T> {
  const staging = stagingFolder(store.home);
  try {
    const { copy } = await fetchMarketplace(store, checkedSource(known.source), staging);
    return await work(copy === null ? known : { ...known, installLocation: copy });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Forgets a marketplace, without the plugins that were installed from it. */
export async function forgetMarketplace({ home, changeSettings }: PluginStore, known: KnownMarketplace): Promise<void> {
  const { name, installLocation } = known;
  await whileAlone(home, async () => {
    for (const scope of Object.values(SETTINGS_OF)) {
      await changeSettings(scope, (values) => {
        if (!isObject(values.extraKnownMarketplaces) || !Object.hasOwn(values.extraKnownMarketplaces, name))
          return null;
        const { [name]: _gone, ...others } = values.extraKnownMarketplaces;
        return { ...values, extraKnownMarketplaces: others };
      });
    }
    await changeMarketplaces(home, ({ [name]: _gone, ...others }) => others);
    // Only a copy of ours: a directory that the user named stays.
    const copies = pluginFolder(home, 'marketplaces');
    if (installLocation.startsWith(`${copies}/`)) rmSync(installLocation, { recursive: true, force: true });
  });
}

/** The marketplace of a name. Throws `plugin_failed` when there is none. */
export function knownMarketplace(home: PluginHome, name: string): KnownMarketplace {
  const all = knownMarketplaces(home);
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const names = all.map((each) => each.name).join(', ') || 'none';
  throw pluginError(
    `There is no marketplace ${name} (there are: ${names}). heddle plugin marketplace add SOURCE adds one`,
  );
}

/** Whether addresses of this machine count in a marketplace. */
export function isOfThisMachine({ source }: Pick<KnownMarketplace, 'source'>): boolean {
  const url = stringField(source, 'url') ?? '';
  return source.source === 'directory' || source.source === 'file' || url.startsWith('file://');
}

export function settingsScope(scope: string): FileScope {
  const found = Object.hasOwn(SETTINGS_OF, scope) ? SETTINGS_OF[scope] : undefined;
  if (found) return found;
  throw pluginError(`There is no scope '${scope}': user, project or local`);
}

interface FetchedMarketplace {
  catalog: Catalog;
  /** The new copy, which is not in its place yet; null: it is read where it is. */
  copy: string | null;
  /** A directory of the user. */
  inPlace: string;
}

async function fetchMarketplace(
  { tools }: PluginStore,
  source: MarketplaceSource,
  staging: string,
): Promise<FetchedMarketplace> {
  const text = (key: string) => stringField(source, key) ?? '';
  const to = join(staging, 'marketplace');
  const copied = () => ({ catalog: readCatalog(to, source), copy: to, inPlace: '' });
  switch (source.source) {
    case 'directory':
    case 'file':
      return { catalog: readCatalog(text('path'), source), copy: null, inPlace: text('path') };
    case 'settings':
      return { catalog: readCatalog('', source), copy: null, inPlace: '' };
    case 'github':
    case 'git': {
      const sparsePaths = isTexts(source.sparsePaths) ? ['.claude-plugin', ...source.sparsePaths] : [];
      const url = source.source === 'github' ? githubUrl(text('repo')) : text('url');
      await checkOut({ url, ref: stringField(source, 'ref'), sparsePaths, mayBeLocal: true }, to, tools);
      return copied();
    }
    case 'npm': {
      const { version, registry } = {
        version: stringField(source, 'version'),
        registry: stringField(source, 'registry'),
      };
      const root = await fetchPackage({ package: text('package'), version, registry }, to, tools);
      return { catalog: readCatalog(root, source), copy: root, inPlace: '' };
    }
    case 'url': {
      if (source.headersHelper !== undefined)
        throw pluginError('headersHelper would run a command, which is not supported');
      const headers = isObject(source.headers) ? textsIn(source.headers) : undefined;
      const data = await download({ url: text('url'), headers, maxBytes: 1024 * 1024 }, tools);
      const values = tryParseJson(data.toString('utf8'));
      if (!isObject(values)) throw pluginError(`${withoutPassword(text('url'))} is no JSON object`);
      const catalog = parseCatalog(values, { file: withoutPassword(text('url')), root: null });
      writeFileSync(`${to}.json`, data, { flag: 'wx', mode: 0o600 });
      return { catalog, copy: `${to}.json`, inPlace: '' };
    }
  }
}

async function keepMarketplace(
  { home }: PluginStore,
  name: string,
  { source, fetched }: { source: MarketplaceSource; fetched: FetchedMarketplace },
): Promise<void> {
  const { installLocation } = locationOf(home, name, fetched);
  if (fetched.copy !== null) {
    makeDirectory(pluginFolder(home, 'marketplaces'), 0o700);
    const file = fetched.copy.endsWith('.json') ? `${name}.json` : name;
    if (existsSync(fetched.copy)) replaceFolder(home, { from: fetched.copy, to: installLocation, name: file });
  }
  const lastUpdated = new Date(home.now()).toISOString();
  await changeMarketplaces(home, (all) => {
    const entry = isObject(all[name]) ? all[name] : {};
    return { ...all, [name]: { ...entry, source, installLocation, lastUpdated } };
  });
}

function locationOf(
  home: PluginHome,
  name: string,
  { copy, inPlace }: FetchedMarketplace,
): { installLocation: string; lastUpdated: string } {
  const file = copy?.endsWith('.json') ? `${name}.json` : name;
  return { installLocation: copy === null ? inPlace : pluginFolder(home, 'marketplaces', file), lastUpdated: '' };
}

/** Names that stand for the repositories of one owner: another one that has them is an imitation. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['claude-code-marketplace', 'claude-code-plugins', 'claude-plugins-official', 'claude-plugins-community'],
  ...['anthropic-marketplace', 'anthropic-plugins', 'anthropic-agent-skills', 'agent-skills', 'life-sciences'],
  ...['knowledge-work-plugins', 'inline', 'builtin'],
]);

function refuseReserved(name: string, source: MarketplaceSource): void {
  if (!RESERVED.has(name.toLowerCase())) return;
  const owner = source.source === 'github' ? /^anthropics\//i : /^https:\/\/github\.com\/anthropics\//i;
  if (/^git/.test(source.source) && owner.test(originOf(source))) return;
  throw pluginError(
    `The name ${name} is reserved for the repositories of its owner, and ${sourceText(source)} is none of them`,
  );
}

/** The settings of a project are for everybody who has its repository. */
function refuseSharedPassword(source: MarketplaceSource, scope: string): void {
  const { url = '', registry = '' } = { url: stringField(source, 'url'), registry: stringField(source, 'registry') };
  const hasPassword = [url, registry].some((each) => /^https?:/.test(each) && withoutPassword(each) !== each);
  if (scope !== 'project' || !hasPassword) return;
  throw pluginError(
    `${sourceText(source)} has a name or a password in it, which the settings of the project would give to everybody: leave it out (git asks its credential helper), or use --scope local`,
  );
}

function textsIn(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
