import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { readJsonObject } from '../json-object.ts';
import type { FileNotes } from './markdown-files.ts';

/** What a plugin's own file and its marketplace say of it, together. */
export interface PluginManifest {
  /** The folder of the plugin, a real path. */
  root: string;
  name: string;
  version?: string;
  /** The texts that count, the strongest first, with the file that each stands in. */
  parts: readonly { file: string; values: JsonObject }[];
  /** A kind of contents that the manifest names is only what it names: the usual folder does not count. */
  isExact: boolean;
  /** The values of all parts, one over the other. */
  values: JsonObject;
  notes: FileNotes;
}

export interface ManifestPart {
  /** The key in the manifest. */
  key: string;
  /** The default path, which is always searched. */
  usual: string;
}

const OWN = join('.claude-plugin', 'plugin.json');

/** The keys that bring contents. */
const CONTENTS = ['commands', 'agents', 'skills', 'outputStyles', 'hooks', 'mcpServers', 'lspServers'];

/**
 * Usually the plugin's own manifest decides, and the entry of its marketplace adds to it. With `strict: false` the entry
 * is the manifest. Throws an Error when the two contradict, or when there is no usable name.
 */
export function readManifest(
  root: string,
  { entry, name, notes }: { entry: JsonObject | null; name: string; notes: FileNotes },
): PluginManifest {
  const own = readJsonObject(join(root, OWN));
  const isExact = entry?.strict === false;
  const contents = own === null ? [] : CONTENTS.filter((key) => Object.hasOwn(own, key));
  if (isExact && contents.length > 0) {
    const both = contents.join(', ');
    throw new Error(`${OWN} has ${both}, but its marketplace says strict: false, so that only its own entry counts`);
  }
  const parts = [
    ...(own ? [{ file: join(root, OWN), values: own }] : []),
    ...(entry ? [{ file: `${root} (its marketplace)`, values: entry }] : []),
  ];
  const named = stringField(own, 'name') ?? stringField(entry, 'name') ?? name;
  if (!/^[\w.-]+$/.test(named)) throw new Error(`${join(root, OWN)}: '${named}' is no name for a plugin`);
  const version = stringField(own, 'version') ?? stringField(entry, 'version');
  return {
    root,
    name: named,
    ...(version !== undefined && { version }),
    parts,
    isExact,
    values: { ...entry, ...own },
    notes,
  };
}

/**
 * Hooks or servers: those of the default file, and those that the manifest has or whose file it names. Of two servers
 * with one name that of the manifest counts; hooks of one event are all asked.
 */
export function partOf(manifest: PluginManifest, { key, usual }: ManifestPart): JsonObject | null {
  const { root, parts, isExact } = manifest;
  const named = parts.flatMap(({ file, values }) => listOf(values[key]).map((value) => ({ file, value })));
  const files = new Set<string>();
  const found: JsonObject[] = [];
  const read = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const values = readPart(path, key, manifest.notes);
    if (values) found.push(values);
  };
  for (const { file, value } of named) {
    if (isObject(value)) found.push(value);
    else if (typeof value === 'string') {
      const path = resolve(root, value);
      if (!isInside(root, path)) manifest.notes.warn(file, `${key}: ${value} leads out of the plugin`);
      else if (existsSync(path)) read(path);
      else manifest.notes.warn(file, `${key}: there is no ${value}`);
    }
  }
  if (!isExact || named.length === 0) read(join(root, usual));
  return found.length === 0 ? null : found.reduceRight(key === 'hooks' ? withHooks : withServers, {});
}

function readPart(path: string, key: string, notes: FileNotes): JsonObject | null {
  try {
    const values = readJsonObject(path);
    // Both forms are in use: the parts themselves, and an object that contains them.
    return values && isObject(values[key]) ? values[key] : values;
  } catch (error) {
    notes.warn(path, messageOf(error));
    return null;
  }
}

function withServers(weaker: JsonObject, stronger: JsonObject): JsonObject {
  return { ...weaker, ...stronger };
}

function withHooks(all: JsonObject, more: JsonObject): JsonObject {
  const events = { ...all };
  for (const [event, groups] of Object.entries(more)) {
    const before = Object.hasOwn(events, event) ? events[event] : undefined;
    events[event] = Array.isArray(before) && Array.isArray(groups) ? [...before, ...groups] : groups;
  }
  return events;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
