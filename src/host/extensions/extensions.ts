import { delimiter, join } from 'node:path';
import type { AgentFile } from '../../config/extensions/agent-files.ts';
import type { OutputStyle } from '../../config/extensions/output-styles.ts';
import type { Plugin } from '../../config/extensions/plugins.ts';
import type { PromptFile } from '../../config/extensions/prompt-file.ts';
import type { Layer } from '../../config/settings/layers.ts';
import type { SettingsDirectories } from '../../config/settings/scopes.ts';
import type { Settings } from '../../config/settings/settings.ts';
import type { TrustedByLaunch } from '../../config/trusted-by-launch.ts';
import type { Logger } from '../../util/runtime.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';
import type { Configuration } from '../launch/configuration.ts';
import { type ConfiguredHooks, extensionHooksAct } from '../launch/hook-settings.ts';
import type { TrustReport } from '../launch/project-trust.ts';
import { readHostAgents } from './host-agents.ts';
import { type CommandLine, OURS_ALONE } from './parse-command.ts';

/** The skills, commands, agents, output styles and plugins of a session, from one read. */
export interface Extensions {
  /** Skills and commands, in the order in which they are listed. */
  readonly prompts: readonly ListedPrompt[];
  /** The prompt that a user calls by this name; null: there is none. */
  find(name: string): Promise<PromptFile | null>;
  /** The skills that the model may load. */
  readonly skills: readonly PromptFile[];
  /** The list of skills for the model, all or those of the given names; null: there are none. */
  listing(only: readonly string[] | null): string | null;
  readonly agents: readonly AgentFile[];
  /** Names; the default, which changes nothing, is the first. */
  readonly styles: readonly string[];
  /** The style in force; null: the default. */
  readonly style: OutputStyle | null;
  readonly plugins: readonly Plugin[];
  readonly pluginErrors: readonly PluginError[];
  /** The trust in the project's files; null: it has none. */
  readonly trust: TrustReport | null;
  /** Reads all extensions again with the present settings. `plugins`: replaces the named plugins. */
  again(plugins?: readonly NamedPlugin[]): Promise<Extensions>;
}

/** A plugin that was left out, or of which only the texts were read; `path`: its name in the launch or the settings. */
export interface PluginError {
  plugin: string;
  type: 'load-failed' | 'not-accepted' | 'needs-values';
  message: string;
  path: string;
}

export type ListedPrompt = Pick<PromptFile, 'kind' | 'name' | 'description' | 'argumentHint' | 'forUser'> &
  Partial<Pick<PromptFile, 'aliases' | 'scope'>>;

/** A skill or command of a file, or the prompt of an MCP server, that a user has called with arguments. */
export type CalledPrompt = (CalledFile | CalledOfServer) & {
  /** Content blocks before the call. */
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
  /** Fetches the text. Rejects with `command_refused` when there is none. */
  fetch(signal: AbortSignal): Promise<string>;
}

/** The prompt that a command line calls; null: neither a file nor a server has it. */
export async function calledPrompt(
  command: CommandLine | null,
  extensions: Pick<Extensions, 'find'>,
  servers: { calledPrompt(command: CommandLine): CalledOfServer | null } | null,
): Promise<CalledPrompt | null> {
  if (!command || OURS_ALONE.includes(command.name)) return null;
  const { name, args, before = [] } = command;
  const prompt = await extensions.find(name);
  const called = prompt ? { prompt, args } : (servers?.calledPrompt(command) ?? null);
  return called && { ...called, before };
}

/** A plugin that the launch or a host names by its folder. */
export interface NamedPlugin {
  folder: string;
  /** Whether its MCP servers are started. */
  hasServers: boolean;
  /** `folder` is the address of an archive. */
  isUrl?: boolean;
}

/** The plugins that a launch names, in order. */
export function pluginsOf({ pluginDir = [], pluginDirNoMcp = [], pluginUrl = [] }: RunConfig): NamedPlugin[] {
  return [
    ...pluginDir.map((folder) => ({ folder, hasServers: true })),
    ...pluginDirNoMcp.map((folder) => ({ folder, hasServers: false })),
    ...pluginUrl.map((folder) => ({ folder, hasServers: true, isUrl: true })),
  ];
}

export interface ExtensionOptions {
  config: RunConfig;
  /** The plugins that are named now. Default: those of the launch. */
  namedPlugins?: readonly NamedPlugin[];
  env: Env;
  directories: SettingsDirectories;
  configuration: Configuration;
  log: Logger;
}

/** By added directory: the files that the launch vouches for, as they were when first read. */
export type TrustedDirectories = Map<string, TrustedByLaunch>;

/** The enabled plugins in the form of settings: `name@marketplace`. */
export function enabledPlugins({ enabledPlugins: given = {} }: Settings): string[] {
  return Object.entries(given).flatMap(([id, value]) => (value === true || Array.isArray(value) ? id : []));
}

export const KINDS = ['agents', 'commands', 'output-styles', 'skills'] as const;

export interface ExtensionFolder {
  scope: 'user' | 'project';
  kind: (typeof KINDS)[number];
  path: string;
  /** The directory that it belongs to; for the user's folder, the config home. */
  root: string;
}

/** The hooks of plugins, unless the settings of the user or the administrator turn them off. */
export function pluginHooks({ plugins }: Extensions, layers: readonly Layer[]): ConfiguredHooks[] {
  if (!extensionHooksAct(layers)) return [];
  return plugins.flatMap(({ name, env, hooks }) => {
    const source = { scope: 'plugin', where: `the plugin ${name}`, env };
    return hooks === null ? [] : [{ raw: hooks, source }];
  });
}

/** The environment of commands, with the programs of plugins behind all others: a plugin replaces no program. */
export function withPrograms(env: Env, plugins: Extensions['plugins']): Env {
  const folders = plugins.flatMap(({ root, programs }) => (programs.length > 0 ? join(root, 'bin') : []));
  return folders.length === 0 ? env : { ...env, PATH: [env.PATH ?? '/usr/bin:/bin', ...folders].join(delimiter) };
}

/** The agents of `--agents`. Rejects with `invalid_option` when they are invalid. */
export async function agentsOf({ agents }: RunConfig, cwd: string): Promise<unknown> {
  if (agents === undefined) return undefined;
  return readHostAgents(agents, cwd);
}
