import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Turn } from '../agent/turn.ts';
import type { AgentFile } from '../config/agent-files.ts';
import { BUNDLED_PROMPTS, BUNDLED_STYLES, DEFAULT_STYLE } from '../config/bundled.ts';
import type { Layer } from '../config/layers.ts';
import type { OutputStyle } from '../config/output-styles.ts';
import type { Plugin } from '../config/plugins.ts';
import type { PromptFile } from '../config/prompt-file.ts';
import type { SettingsPlaces } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import type { Vouched } from '../config/vouched.ts';
import type { Rule } from '../permissions/rules.ts';
import { existingOrSame } from '../util/existing-path.ts';
import type { Logger } from '../util/runtime.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { type CommandLine, OURS_ALONE } from './command-line.ts';
import type { Configuration } from './configuration.ts';
import type { ExpandedPrompt } from './expand-prompt.ts';
import type { Env } from './home.ts';
import { extensionHooksAct, type GivenHooks } from './hooks.ts';
import type { Chosen } from './models.ts';
import type { Parts } from './parts.ts';
import type { TrustReport } from './settings.ts';

/** The skills, commands, agents, output styles and plugins of a session, as they were when they were read. */
export interface Extensions {
  /** Skills and commands, in the order in which they are listed. */
  readonly prompts: readonly ListedPrompt[];
  /** The one that a user calls by this name; null when there is none. */
  find(name: string): Promise<PromptFile | null>;
  /** Those that the model may load. */
  readonly skills: readonly PromptFile[];
  /** What the model is told of them, or of those that are named; null when there are none. */
  listing(only: readonly string[] | null): string | null;
  readonly agents: readonly AgentFile[];
  /** Names, the one that changes nothing first. */
  readonly styles: readonly string[];
  /** The one in force; null: nothing is changed. */
  readonly style: OutputStyle | null;
  readonly plugins: readonly Plugin[];
  readonly pluginErrors: readonly PluginError[];
  /** How far the project's files were believed; null when it has none. */
  readonly trust: TrustReport | null;
  /** Reads all of them anew, by the settings of now. `plugins`: with these in the place of those that are named. */
  again(plugins?: readonly GivenPlugin[]): Promise<Extensions>;
}

/** A plugin that was left out, as hosts are told of it; `path` is how the launch or the settings name it. */
export interface PluginError {
  plugin: string;
  type: 'load-failed';
  message: string;
  path: string;
}

export type ListedPrompt = Pick<PromptFile, 'kind' | 'name' | 'description' | 'argumentHint' | 'forUser'> &
  Partial<Pick<PromptFile, 'aliases' | 'scope'>>;

/** What the command or the skills of the running turn have brought along. */
export interface TurnExtras {
  /** What may run without asking until the turn is over. */
  grants: Rule[];
  /** Who answers it; null: the session's model. */
  chosen: Chosen | null;
  /** The turn itself, once it has begun. */
  turn: Turn | null;
}

export function noExtras(): TurnExtras {
  return { grants: [], chosen: null, turn: null };
}

/** What a user has called, and with what: a skill or command of a file, or the prompt of an MCP server. */
export type CalledPrompt = (CalledFile | CalledOfServer) & {
  /** What stands in front of the call, in blocks of their own. */
  before: readonly ContentBlock[];
};

export interface CalledFile {
  prompt: PromptFile;
  args: string;
  fetch?: undefined;
}

export interface CalledOfServer {
  prompt: { name: string; scope: 'mcp' };
  args: string;
  /** Its text. Rejects with `command_refused` when there is none. */
  fetch(signal: AbortSignal): Promise<string>;
}

/** What a command line calls; null when it is neither a file's nor a server's. */
export async function calledPrompt(command: CommandLine | null, parts: Parts): Promise<CalledPrompt | null> {
  if (!command || OURS_ALONE.includes(command.name)) return null;
  const { name, args, before = [] } = command;
  const prompt = await parts.extensions.find(name);
  const called = prompt ? { prompt, args } : (parts.mcp?.calledPrompt(command) ?? null);
  return called && { ...called, before };
}

/** Carries out what was called (see `expand-prompt.ts`), which is loaded for the first of them. */
export async function expandCalled(
  called: CalledPrompt,
  makeTurn: () => Turn,
  parts: Parts,
  signal: AbortSignal,
): Promise<ExpandedPrompt> {
  return (await import('./expand-prompt.ts')).expandCalled(called, makeTurn, parts, signal);
}

/** A plugin that the launch or a host names by its folder. */
export interface GivenPlugin {
  folder: string;
  /** Whether its MCP servers are started here. */
  hasServers: boolean;
}

/** The plugins that a launch names, in order. */
export function pluginsOf({ pluginDir = [], pluginDirNoMcp = [] }: RunConfig): GivenPlugin[] {
  return [
    ...pluginDir.map((folder) => ({ folder, hasServers: true })),
    ...pluginDirNoMcp.map((folder) => ({ folder, hasServers: false })),
  ];
}

export interface ExtensionOptions {
  config: RunConfig;
  /** Those that are named now. Default: those of the launch. */
  givenPlugins?: readonly GivenPlugin[];
  env: Env;
  places: SettingsPlaces;
  configuration: Configuration;
  log: Logger;
}

/** What the launch answers for of added directories, by directory: what they held when they were first read. */
export type VouchedDirectories = Map<string, Vouched>;

/** Most sessions have none of these folders: they look for them, and load nothing that reads them. */
export async function openExtensions(
  options: ExtensionOptions,
  vouched: VouchedDirectories = new Map(),
): Promise<Extensions> {
  const { config, configuration, givenPlugins = pluginsOf(config) } = options;
  const folders = extensionFolders(options);
  const again = (plugins: readonly GivenPlugin[] = givenPlugins) =>
    openExtensions({ ...options, givenPlugins: plugins }, vouched);
  const { outputStyle: style = DEFAULT_STYLE } = configuration.settings;
  const hasPlugins = givenPlugins.length > 0 || enabledPlugins(configuration.settings).length > 0;
  if (folders.length > 0 || hasPlugins || style !== DEFAULT_STYLE) {
    const { loadExtensions } = await import('./load-extensions.ts');
    return { ...(await loadExtensions(folders, options, vouched)), again };
  }
  const hasPrompts = config.disableSlashCommands !== true;
  return {
    prompts: hasPrompts
      ? BUNDLED_PROMPTS.map((prompt) => ({ ...prompt, forUser: true, scope: 'bundled' as const }))
      : [],
    async find(name) {
      if (!hasPrompts || !BUNDLED_PROMPTS.some((prompt) => prompt.name === name)) return null;
      const { bundledPrompts } = await import('../config/bundled-texts.ts');
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

/** As settings name them: `name@marketplace`. */
export function enabledPlugins({ enabledPlugins: given = {} }: Settings): string[] {
  return Object.entries(given).flatMap(([id, value]) => (value === true || Array.isArray(value) ? id : []));
}

const KINDS = ['agents', 'commands', 'output-styles', 'skills'] as const;

export interface ExtensionFolder {
  scope: 'user' | 'project';
  kind: (typeof KINDS)[number];
  path: string;
  /** The directory that it speaks for; of a user's, the config home. */
  root: string;
}

/** The folders that are there and that the launch reads, the user's first. Of added directories only the skills count. */
function extensionFolders({ config, configuration, places }: ExtensionOptions): ExtensionFolder[] {
  const { scopes } = configuration;
  const { cwd, configHome } = places;
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

/** Those of `--add-dir`. Directories that settings add are there to be worked in, and say nothing. */
function addedDirectories({ addDir = [] }: RunConfig, cwd: string): string[] {
  const directories = addDir.map((directory) => existingOrSame(resolve(cwd, directory)));
  return [...new Set(directories)].filter((directory) => directory !== cwd);
}

/** In a home whose config home is its .claude folder the user's folders are not the project's, too. */
function ownFolders(folders: readonly ExtensionFolder[]): ExtensionFolder[] {
  const own = new Set(folders.flatMap(({ scope, path }) => (scope === 'user' ? existingOrSame(path) : [])));
  return folders.filter(({ scope, path }) => scope === 'user' || !own.has(existingOrSame(path)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, which is the usual case, or not for us to read
  }
}

/** The hooks that plugins bring, unless the settings of a user or an administrator want none. */
export function pluginHooks({ plugins }: Extensions, layers: readonly Layer[]): GivenHooks[] {
  if (!extensionHooksAct(layers)) return [];
  return plugins.flatMap(({ name, root, hooks }) => {
    const source = { scope: 'plugin', where: `the plugin ${name}`, env: { CLAUDE_PLUGIN_ROOT: root } };
    return hooks === null ? [] : [{ given: hooks, source }];
  });
}

/** What `--agents` gives. Rejects with `invalid_option` when that cannot be used. */
export async function agentsOf({ agents }: RunConfig, cwd: string): Promise<unknown> {
  if (agents === undefined) return undefined;
  return (await import('./agents/given-agents.ts')).readGivenAgents(agents, cwd);
}
