import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readPlugin } from '../config/extensions/plugins.ts';
import { readJsonObject } from '../config/json-object.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { type Acts, actsOf } from './acts.ts';
import { type Catalog, parseCatalog } from './catalog.ts';
import { integrityOf } from './integrity.ts';
import { pluginError } from './plugin-error.ts';
import { relativeFolder } from './sources/fetch-plugin.ts';

/** What an author gets to know of a plugin or a marketplace before it is published. */
export interface Validation {
  success: boolean;
  strict: boolean;
  target: string;
  manifest: { file: string; type: 'plugin' | 'marketplace'; errors: string[]; warnings: string[]; notes: string[] };
  /** What the files hold: of a marketplace, the plugins that lie in it. */
  contents: { name: string; errors: string[]; warnings: string[]; acts?: Acts }[];
  advice: string[];
}

/** `target`: a folder, or the file itself. `isStrict`: warnings count as errors. */
export function validate(target: string, { isStrict }: { isStrict: boolean }): Validation {
  const file = manifestOf(target);
  const type = basename(file) === 'marketplace.json' ? 'marketplace' : 'plugin';
  const manifest: Validation['manifest'] = { file, type, errors: [], warnings: [], notes: [] };
  const found: Validation = { success: true, strict: isStrict, target, manifest, contents: [], advice: [] };
  const root = dirname(dirname(file));
  try {
    const values = readJsonObject(file);
    if (values && type === 'marketplace') checkMarketplace(values, { file, root }, found);
    else checkPlugin(values, root, found);
  } catch (error) {
    manifest.errors.push(messageOf(error));
  }
  const all = [manifest, ...found.contents];
  const bad = all.some(({ errors, warnings }) => errors.length > 0 || (isStrict && warnings.length > 0));
  return { ...found, success: !bad };
}

function manifestOf(target: string): string {
  if (!existsSync(target)) throw pluginError(`There is no ${target}`);
  if (!statSync(target).isDirectory()) return target;
  const folder = basename(target) === '.claude-plugin' ? target : join(target, '.claude-plugin');
  const marketplace = join(folder, 'marketplace.json');
  return existsSync(marketplace) ? marketplace : join(folder, 'plugin.json');
}

/** The keys of a manifest; readers drop others. */
const KEYS: readonly string[] = [
  ...[
    'name',
    'version',
    'description',
    'author',
    'homepage',
    'repository',
    'license',
    'keywords',
    '$schema',
    'displayName',
  ],
  ...[
    'commands',
    'agents',
    'skills',
    'hooks',
    'mcpServers',
    'outputStyles',
    'lspServers',
    'userConfig',
    'dependencies',
  ],
  ...['engines', 'settings', 'monitors', 'themes', 'workflows', 'channels'],
];
const NOT_USED: readonly string[] = ['monitors', 'themes', 'workflows', 'channels'];

function checkPlugin(values: JsonObject | null, root: string, { manifest, contents, advice }: Validation): void {
  const { errors, warnings, notes } = manifest;
  if (!values) warnings.push('there is no manifest: the plugin has the name of its folder');
  else {
    const { name, version } = values;
    if (typeof name !== 'string') errors.push('name is missing');
    else if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) warnings.push(`the name ${name} is not in kebab-case`);
    if (version === undefined) advice.push('A version tells users what they have: without one it is the commit');
    for (const key of Object.keys(values)) {
      if (!KEYS.includes(key)) warnings.push(`${key} is no key of a manifest, and is ignored`);
      if (NOT_USED.includes(key)) notes.push(`${key} is not used by this version`);
    }
    for (const key of ['description', 'author'])
      if (values[key] === undefined) advice.push(`A ${key} helps those who choose`);
  }
  contents.push(contentsOf(root, basename(root), null));
}

function checkMarketplace(values: JsonObject, { file, root }: { file: string; root: string }, found: Validation): void {
  const { manifest, contents } = found;
  const catalog = parseCatalog(values, { file, root });
  manifest.errors.push(...catalog.problems);
  if (!isObject(values.owner)) manifest.warnings.push('owner is missing: {"name": …}');
  for (const entry of catalog.entries) {
    const { source } = entry.values;
    if (typeof source !== 'string') continue;
    contents.push(relativeContents(catalog, entry, source));
  }
}

function relativeContents(
  catalog: Catalog,
  entry: Catalog['entries'][number],
  source: string,
): Validation['contents'][number] {
  try {
    return contentsOf(relativeFolder({ catalog, entry }, source).folder, entry.name, entry.values);
  } catch (error) {
    return { name: entry.name, errors: [messageOf(error)], warnings: [] };
  }
}

function contentsOf(folder: string, name: string, entry: JsonObject | null): Validation['contents'][number] {
  const warnings: string[] = [];
  const warn = (file: string, problem: string, line?: number) =>
    void warnings.push(`${file.replace(`${folder}/`, '')}${line === undefined ? '' : `:${line}`}: ${problem}`);
  try {
    const plugin = readPlugin(folder, { notes: { warn, ignore() {} }, name, entry });
    return { name: plugin.name, errors: [], warnings, acts: actsOf(plugin, integrityOf(folder).files) };
  } catch (error) {
    return { name, errors: [messageOf(error)], warnings };
  }
}
