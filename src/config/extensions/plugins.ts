import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import type { JsonObject } from '../../util/json.ts';
import { type AgentFile, readAgentFile, readAgentFiles } from './agent-files.ts';
import { readCommand, readCommands } from './commands.ts';
import type { FileNotes, FileSource } from './markdown-files.ts';
import { type OutputStyle, readOutputStyles } from './output-styles.ts';
import { type ManifestPart, type PluginManifest, partOf, readManifest } from './plugin-manifest.ts';
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
  /** Language servers by name, not parsed yet. */
  lspServers: JsonObject | null;
  /** The names of the programs in its folder `bin`. */
  programs: string[];
  /** The manifest in force, for what is not read yet. */
  manifest: JsonObject;
  /** Variables for its hooks and servers. */
  env: Readonly<Record<string, string>>;
}

export interface PluginReading {
  notes: FileNotes;
  /** What its marketplace says of it. */
  entry?: JsonObject | null;
  /** Its name where neither it nor the marketplace has one. Default: that of the folder. */
  name?: string;
  /** Whether it is read without what would run, allow or select something: only as texts. */
  isText?: boolean;
}

/** Throws an Error with the reason when the folder is not a plugin. Problems inside of it only go to the notes. */
export function readPlugin(folder: string, { notes, entry = null, name, isText = false }: PluginReading): Plugin {
  const root = realpathSync(folder);
  if (!statSync(root).isDirectory()) throw new Error(`${folder} is not a directory`);
  const read = readManifest(root, { entry, name: name ?? basename(root), notes });
  const source: FileSource = {
    scope: 'plugin',
    plugin: { name: read.name, root },
    confinedTo: isText ? root : null,
    notes,
  };
  const places = (key: string, usual: string) => pathsOf(read, { key, usual });
  const part = (key: string, usual: string) => (isText ? null : partOf(read, { key, usual }));
  return {
    name: read.name,
    ...(read.version !== undefined && { version: read.version }),
    root,
    prompts: [
      ...places('skills', 'skills').flatMap((path) => skillsAt(path, source)),
      ...places('commands', 'commands').flatMap((path) => commandsAt(path, source)),
    ],
    agents: places('agents', 'agents').flatMap((path) => agentsAt(path, source)),
    styles: places('outputStyles', 'output-styles').flatMap((path) => readOutputStyles(path, source)),
    hooks: part('hooks', join('hooks', 'hooks.json')),
    mcpServers: part('mcpServers', '.mcp.json'),
    lspServers: part('lspServers', '.lsp.json'),
    programs: isText ? [] : programsIn(join(root, 'bin')),
    manifest: read.values,
    env: { CLAUDE_PLUGIN_ROOT: root },
  };
}

/** The default path and the paths of the manifest. */
function pathsOf({ root, parts, notes, isExact }: PluginManifest, { key, usual }: ManifestPart): string[] {
  const named = parts.flatMap(({ file, values }) => {
    const raw = values[key];
    const added = typeof raw === 'string' ? [raw] : Array.isArray(raw) ? raw : [];
    return added.flatMap((path) => (typeof path === 'string' ? { file, path } : []));
  });
  const paths = named.flatMap(({ file, path }) => {
    const full = resolve(root, path);
    if (!isInside(root, full)) notes.warn(file, `${key}: ${path} leads out of the plugin`);
    else if (existsSync(full)) return full;
    else notes.warn(file, `${key}: there is no ${path}`);
    return [];
  });
  // Several plugins of one repository share its folders: then each entry names what belongs to it.
  return isExact && named.length > 0 ? [...new Set(paths)] : [...new Set([join(root, usual), ...paths])];
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

function programsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return []; // hardly any plugin has programs
  }
}
