import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { type AgentFile, readAgentFile, readAgentFiles } from './agent-files.ts';
import { readCommand, readCommands } from './commands.ts';
import type { FileNotes, FileSource } from './markdown-files.ts';
import { type OutputStyle, readOutputStyles } from './output-styles.ts';
import { readJsonObject } from './plugin-json.ts';
import type { PromptFile } from './prompt-file.ts';
import { readSkill, readSkills } from './skills.ts';

/** A folder of extensions that the launch or the settings name, with all that it brings. */
export interface Plugin {
  name: string;
  /** `name@marketplace`, of one that settings name. */
  source?: string;
  /** As its manifest has it, whatever that may be. */
  version?: string;
  /** A real path. */
  root: string;
  prompts: PromptFile[];
  agents: AgentFile[];
  styles: OutputStyle[];
  /** As settings have them, by event. For those who run hooks, with `root` as CLAUDE_PLUGIN_ROOT. */
  hooks: JsonObject | null;
  /** By name. For those who start servers, with `root` as CLAUDE_PLUGIN_ROOT. */
  mcpServers: JsonObject | null;
}

const MANIFEST = join('.claude-plugin', 'plugin.json');

/**
 * Throws an Error that says why when the folder is no plugin. What is wrong within it is only told. `listed` is what a
 * marketplace says of it, for a folder without a manifest.
 */
export function readPlugin(folder: string, notes: FileNotes, listed: JsonObject | null = null): Plugin {
  const root = realpathSync(folder);
  if (!statSync(root).isDirectory()) throw new Error(`${folder} is not a directory`);
  const manifest = readJsonObject(join(root, MANIFEST)) ?? listed ?? {};
  const name = stringField(manifest, 'name') ?? basename(root);
  if (!/^[\w.-]+$/.test(name)) throw new Error(`${join(folder, MANIFEST)}: '${name}' is no name for a plugin`);
  const source: FileSource = { scope: 'plugin', plugin: { name, root }, confinedTo: null, notes };
  const places = (key: string, usual: string) => placesOf(root, manifest, { key, usual, notes });
  const version = stringField(manifest, 'version');
  return {
    name,
    ...(version !== undefined && { version }),
    root,
    prompts: [
      ...places('skills', 'skills').flatMap((path) => skillsAt(path, source)),
      ...places('commands', 'commands').flatMap((path) => commandsAt(path, source)),
    ],
    agents: places('agents', 'agents').flatMap((path) => agentsAt(path, source)),
    styles: places('outputStyles', 'output-styles').flatMap((path) => readOutputStyles(path, source)),
    hooks: partOf(root, manifest, { key: 'hooks', usual: join('hooks', 'hooks.json'), notes }),
    mcpServers: partOf(root, manifest, { key: 'mcpServers', usual: '.mcp.json', notes }),
  };
}

interface Place {
  /** In the manifest. */
  key: string;
  /** Where it is looked for in any case. */
  usual: string;
  notes: FileNotes;
}

/** The usual place and what the manifest adds. */
function placesOf(root: string, manifest: JsonObject, { key, usual, notes }: Place): string[] {
  const given = manifest[key];
  const added = typeof given === 'string' ? [given] : Array.isArray(given) ? given.filter(isText) : [];
  const paths = added.flatMap((path) => pathWithin(root, path, { key, notes }) ?? []);
  return [...new Set([join(root, usual), ...paths])];
}

/** A plugin is what its folder holds: no path leads out of it. */
function pathWithin(root: string, path: string, { key, notes }: Pick<Place, 'key' | 'notes'>): string | null {
  const full = resolve(root, path);
  const way = relative(root, full);
  const isOutside = way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  if (isOutside) notes.warn(join(root, MANIFEST), `${key}: ${path} leads out of the plugin`);
  else if (existsSync(full)) return full;
  else notes.warn(join(root, MANIFEST), `${key}: there is no ${path}`);
  return null;
}

/** A folder of skills, or that of a single one. */
function skillsAt(path: string, source: FileSource): PromptFile[] {
  const single = readSkill(join(path, 'SKILL.md'), source);
  return single ? [single] : readSkills(path, source);
}

function commandsAt(path: string, source: FileSource): PromptFile[] {
  if (!path.endsWith('.md')) return readCommands(path, source);
  return [readCommand(path, dirname(path), source)].flatMap((command) => command ?? []);
}

function agentsAt(path: string, source: FileSource): AgentFile[] {
  if (!path.endsWith('.md')) return readAgentFiles(path, source);
  return [readAgentFile(path, source)].flatMap((agent) => agent ?? []);
}

/** Hooks or servers: in the manifest itself, in a file that it names, or in the usual one. */
function partOf(root: string, manifest: JsonObject, { key, usual, notes }: Place): JsonObject | null {
  const given = manifest[key];
  if (isObject(given)) return given;
  const path = typeof given === 'string' ? pathWithin(root, given, { key, notes }) : join(root, usual);
  if (path === null) return null;
  try {
    const values = readJsonObject(path);
    // Both forms are in use: the parts themselves, and an object that holds them.
    return values && isObject(values[key]) ? values[key] : values;
  } catch (error) {
    notes.warn(path, messageOf(error));
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
