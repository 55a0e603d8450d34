import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUNDLED_PROMPTS, BUNDLED_STYLES, DEFAULT_STYLE } from '../../config/extensions/bundled.ts';
import { bundledPrompts } from '../../config/extensions/bundled-texts.ts';
import { existingOrSame } from '../../util/files/existing-path.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import {
  type ExtensionFolder,
  type ExtensionOptions,
  type Extensions,
  enabledPlugins,
  KINDS,
  type NamedPlugin,
  pluginsOf,
  type TrustedDirectories,
} from './extensions.ts';
import { loadExtensions } from './load-extensions.ts';

/** Opens the extensions of a session. Without extension folders, plugins and a style, no file is read. */
export async function openExtensions(
  options: ExtensionOptions,
  trustedByLaunch: TrustedDirectories = new Map(),
): Promise<Extensions> {
  const { config, configuration, namedPlugins = pluginsOf(config) } = options;
  const folders = extensionFolders(options);
  const again = (plugins: readonly NamedPlugin[] = namedPlugins) =>
    openExtensions({ ...options, namedPlugins: plugins }, trustedByLaunch);
  const { outputStyle: style = DEFAULT_STYLE } = configuration.settings;
  const hasPlugins = namedPlugins.length > 0 || enabledPlugins(configuration.settings).length > 0;
  if (folders.length > 0 || hasPlugins || style !== DEFAULT_STYLE) {
    return { ...(await loadExtensions(folders, options, trustedByLaunch)), again };
  }
  const hasPrompts = config.disableSlashCommands !== true;
  return {
    prompts: hasPrompts
      ? BUNDLED_PROMPTS.map((prompt) => ({ ...prompt, forUser: true, scope: 'bundled' as const }))
      : [],
    async find(name) {
      if (!hasPrompts || !BUNDLED_PROMPTS.some((prompt) => prompt.name === name)) return null;
      return bundledPrompts().find((prompt) => prompt.name === name) ?? null;
    },
    skills: [],
    listing: () => null,
    agents: [],
    styles: [DEFAULT_STYLE, ...BUNDLED_STYLES.map(({ name }) => name)],
    style: null,
    plugins: [],
    pluginErrors: [],
    trust: null,
    again,
  };
}

/** The existing folders that the launch reads, the user's first. In added directories only skills count. */
function extensionFolders({ config, configuration, directories }: ExtensionOptions): ExtensionFolder[] {
  const { scopes } = configuration;
  const { cwd, configHome } = directories;
  const wanted = KINDS.filter((kind) => !config.disableSlashCommands || kind === 'agents' || kind === 'output-styles');
  const skills = wanted.filter((kind) => kind === 'skills');
  const ofUser = configHome !== null && scopes.includes('userSettings');
  const ofProject = scopes.includes('projectSettings');
  const added = ofProject && skills.length > 0 ? addedDirectories(config, cwd) : [];
  const found = [
    ...(ofUser ? foldersIn(configHome, wanted, { scope: 'user', root: configHome }) : []),
    ...(ofProject ? foldersIn(join(cwd, '.claude'), wanted, { scope: 'project', root: cwd }) : []),
    ...added.flatMap((root) => foldersIn(join(root, '.claude'), skills, { scope: 'project', root })),
  ];
  return found.some(({ scope }) => scope === 'user') ? ownFolders(found) : found;
}

function foldersIn(
  home: string,
  kinds: readonly ExtensionFolder['kind'][],
  owner: Pick<ExtensionFolder, 'scope' | 'root'>,
): ExtensionFolder[] {
  const names = namesIn(home);
  return kinds.filter((kind) => names.includes(kind)).map((kind) => ({ ...owner, kind, path: join(home, kind) }));
}

/** The directories of `--add-dir`. Directories that settings add are only worked in: their extensions are not read. */
function addedDirectories({ addDir = [] }: RunConfig, cwd: string): string[] {
  const directories = addDir.map((directory) => existingOrSame(resolve(cwd, directory)));
  return [...new Set(directories)].filter((directory) => directory !== cwd);
}

/** Where the config home is the project's .claude folder, its folders are the user's only. */
function ownFolders(folders: readonly ExtensionFolder[]): ExtensionFolder[] {
  const own = new Set(folders.flatMap(({ scope, path }) => (scope === 'user' ? existingOrSame(path) : [])));
  return folders.filter(({ scope, path }) => scope === 'user' || !own.has(existingOrSame(path)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // usually it does not exist; or it is unreadable
  }
}
