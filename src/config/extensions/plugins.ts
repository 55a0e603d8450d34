import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { readJsonObject } from '../json-object.ts';
import { type AgentFile, readAgentFile, readAgentFiles } from './agent-files.ts';
import { readCommand, readCommands } from './commands.ts';
import type { FileNotes, FileSource } from './markdown-files.ts';
import { type OutputStyle, readOutputStyles } from './output-styles.ts';
import type { PromptFile } from './prompt-file.ts';
import { readSkill, readSkills } from './skills.ts';

/** A folder of extensions that the launch or the settings name, with its contents. */
export interface Plugin {
  name: string;
  /** `name@marketplace`, for a plugin that settings name. */
  source?: string;
  /** As its manifest has it, unchecked. */
  version?: string;
  /** A real path. */
  root: string;
  prompts: PromptFile[];
  agents: AgentFile[];
  styles: OutputStyle[];
  /** By event, in the form of settings and not parsed yet. Their commands get `root` as CLAUDE_PLUGIN_ROOT. */
  hooks: JsonObject | null;
  /** By name, not parsed yet. Their commands get `root` as CLAUDE_PLUGIN_ROOT. */
  mcpServers: JsonObject | null;
}

const MANIFEST = join('.claude-plugin', 'plugin.json');

/**
 * Throws an Error with the reason when the folder is not a plugin. Problems inside of it only go to the notes. `listed`
 * is the manifest in a marketplace, for a folder without its own.
 */
export function readPlugin(folder: string, notes: FileNotes, listed: JsonObject | null = null): Plugin {
  const root = realpathSync(folder);
  if (!statSync(root).isDirectory()) throw new Error(`${folder} is not a directory`);
  const manifest = readJsonObject(join(root, MANIFEST)) ?? listed ?? {};
  const name = stringField(manifest, 'name') ?? basename(root);
  if (!/^[\w.-]+$/.test(name)) throw new Error(`${join(folder, MANIFEST)}: '${name}' is no name for a plugin`);
  const source: FileSource = { scope: 'plugin', plugin: { name, root }, confinedTo: null, notes };
  const places = (key: string, usual: string) => pathsOf(root, manifest, { key, usual, notes });
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

interface PluginPart {
  /** The key in the manifest. */
  key: string;
  /** The default path, which is always searched. */
  usual: string;
  notes: FileNotes;
}

/** The default path and the paths of the manifest. */
function pathsOf(root: string, manifest: JsonObject, { key, usual, notes }: PluginPart): string[] {
  const raw = manifest[key];
  const added = typeof raw === 'string' ? [raw] : Array.isArray(raw) ? raw.filter(isText) : [];
  const paths = added.flatMap((path) => pathWithin(root, path, { key, notes }) ?? []);
  return [...new Set([join(root, usual), ...paths])];
}

/** Refuses a path outside of the plugin's folder. */
function pathWithin(root: string, path: string, { key, notes }: Pick<PluginPart, 'key' | 'notes'>): string | null {
  const full = resolve(root, path);
  if (!isInside(root, full)) notes.warn(join(root, MANIFEST), `${key}: ${path} leads out of the plugin`);
  else if (existsSync(full)) return full;
  else notes.warn(join(root, MANIFEST), `${key}: there is no ${path}`);
  return null;
}

/** A folder of skills, or the folder of a single skill. */
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

/** Hooks or servers: in the manifest, in a file that it names, or in the default file. */
function partOf(root: string, manifest: JsonObject, { key, usual, notes }: PluginPart): JsonObject | null {
  const raw = manifest[key];
  if (isObject(raw)) return raw;
  const path = typeof raw === 'string' ? pathWithin(root, raw, { key, notes }) : join(root, usual);
  if (path === null) return null;
  try {
    const values = readJsonObject(path);
    // Both forms are in use: the parts themselves, and an object that contains them.
    return values && isObject(values[key]) ? values[key] : values;
  } catch (error) {
    notes.warn(path, messageOf(error));
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
