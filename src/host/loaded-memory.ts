import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Attachment } from '../agent/attachment.ts';
import { memoryReminder } from '../agent/memory-text.ts';
import { type MemoryFile, readMemory, rulePaths } from '../config/memory-files.ts';
import type { MemoryKind, MemoryPlace } from '../config/memory-places.ts';
import { ruleHolds, type ScopedRule } from '../config/memory-rules.ts';
import { trustOf } from '../config/trust-store.ts';
import { globMatcher } from '../util/glob.ts';
import { isObject, stringField } from '../util/json.ts';
import { isVouchedFor } from './launch-settings.ts';
import type { ListedMemory, MemoryOptions, SessionMemory } from './memory.ts';

/** What an InstructionsLoaded hook is told, beside what every hook is. */
export interface InstructionsLoaded {
  file_path: string;
  memory_type: 'User' | 'Project' | 'Local';
  load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact' | 'file_changed';
  /** The files that a rule is for. */
  globs?: readonly string[];
  /** The file that imports it. */
  parent_file_path?: string;
  /** The file that was worked on, for one below the working directory and for a rule with globs. */
  trigger_file_path?: string;
}

/** A place below the working directory, and the file that led there. */
export interface NestedPlace {
  place: MemoryPlace;
  trigger: string;
}

/** What was worked on since the last time. */
export interface Touched {
  files: readonly string[];
  /** What their directories have to say. */
  nested: readonly NestedPlace[];
}

export interface LoadedMemory extends Pick<SessionMemory, 'told' | 'forget' | 'files'> {
  news(touched: Touched): Promise<Attachment | null>;
  nestedNews(touched: Touched): Promise<Attachment | null>;
  list(touched: Touched): Promise<ListedMemory[]>;
}

/** The memory of a session that has some: reads it again when a file has changed, and knows what the model was told. */
export function createLoadedMemory(
  places: readonly MemoryPlace[],
  options: MemoryOptions & { onLoaded(loaded: InstructionsLoaded): void },
): LoadedMemory {
  /** By path: the digest of the text that the model knows. */
  const known = new Map<string, string>();
  const nested = new Map<string, NestedPlace>();
  /** Rules for some files that one was worked on of, by path: which one. */
  const due = new Map<string, string>();
  /** The other rules for some files. */
  let idle: ScopedRule[] = [];
  /** What hooks hear once the model was told. */
  const unsaid = new WeakMap<Attachment, InstructionsLoaded[]>();
  let files: MemoryFile[] = [];
  let stamp: string | null = null;
  let reason: InstructionsLoaded['load_reason'] = 'session_start';

  async function read(touched: Touched): Promise<void> {
    const reading = await readingOf(options);
    for (const each of touched.nested) if (!nested.has(each.place.path)) nested.set(each.place.path, each);
    const all = [...places, ...[...nested.values()].map(({ place }) => place)];
    const isDue = (rule: ScopedRule) => {
      const trigger = touched.files.find((file) => ruleHolds(rule, file, reading.roots));
      if (trigger !== undefined && !due.has(rule.path)) due.set(rule.path, trigger);
      return due.has(rule.path);
    };
    for (const rule of idle) isDue(rule);
    const stampNow = () => [...due.keys(), ...stampsOf([...all, ...files], reading)].join(' ');
    if (stampNow() === stamp) return;
    idle = [];
    files = readMemory(all, {
      ...reading,
      isDue(rule) {
        const isWanted = isDue(rule);
        if (!isWanted) idle.push(rule);
        return isWanted;
      },
    });
    stamp = stampNow();
  }

  /** Null when the model knows it all. */
  function attachmentOf(fresh: readonly MemoryFile[], gone: readonly string[]): Attachment | null {
    if (fresh.length === 0 && gone.length === 0) return null;
    const told = fresh.map((file) => ({ ...file, ...(known.has(file.path) && { isChanged: true as const }) }));
    const attachment = {
      type: 'memory',
      content: memoryReminder(told, gone),
      files: [...fresh.map(recorded), ...gone.map((path) => ({ path, digest: null }))],
    };
    unsaid.set(attachment, fresh.map(toldToHooks));
    return attachment;
  }

  function toldToHooks(file: MemoryFile): InstructionsLoaded {
    const { path, kind, importedBy, globs } = file;
    const trigger = triggerOf(file);
    return {
      file_path: path,
      memory_type: TYPES[kind],
      load_reason: known.has(path) ? 'file_changed' : reasonOf(file),
      ...(globs && { globs }),
      ...(importedBy !== undefined && { parent_file_path: importedBy }),
      ...(trigger !== undefined && { trigger_file_path: trigger }),
    };
  }

  function reasonOf({ importedBy, globs, isNested }: MemoryFile): InstructionsLoaded['load_reason'] {
    if (importedBy !== undefined) return 'include';
    if (globs) return 'path_glob_match';
    return isNested ? 'nested_traversal' : reason;
  }

  function triggerOf({ path, isNested }: MemoryFile): string | undefined {
    const folder = isNested && [...nested.values()].find(({ place }) => isBelow(place.path, path));
    return due.get(path) ?? (folder || undefined)?.trigger;
  }

  return {
    async news(touched) {
      await read(touched);
      const fresh = files.filter(({ path, text }) => known.get(path) !== digestOf(text));
      const gone = [...known.keys()].filter((path) => !files.some((file) => file.path === path));
      return attachmentOf(fresh, gone);
    },
    async nestedNews(touched) {
      await read(touched);
      const fresh = files.filter(({ path, isNested, globs }) => (isNested || globs) && !known.has(path));
      return attachmentOf(fresh, []);
    },
    async list(touched) {
      await read(touched);
      const loaded = files.map((file): ListedMemory => {
        const { path, kind, text, importedBy, globs } = file;
        return { path, kind, bytes: Buffer.byteLength(text), globs, importedBy, trigger: triggerOf(file) };
      });
      return [...loaded, ...idle.map(({ path, kind, globs }) => ({ path, kind, globs, bytes: null }))];
    },
    told(attachment) {
      for (const { path, digest, place, isScoped } of toldFiles(attachment)) {
        if (digest === null) known.delete(path);
        else known.set(path, digest);
        if (digest === null) continue;
        if (place && !nested.has(place.path)) nested.set(place.path, { place, trigger: path });
        if (isScoped && !due.has(path)) due.set(path, path);
      }
      for (const loaded of unsaid.get(attachment) ?? []) options.onLoaded(loaded);
      unsaid.delete(attachment);
    },
    forget(why) {
      known.clear();
      // Told again when something there is worked on again.
      nested.clear();
      due.clear();
      reason = why === 'compact' ? 'compact' : 'session_start';
    },
    files: () => files.map(({ path, kind }) => ({ path, type: kind })),
  };
}

const TYPES = { user: 'User', project: 'Project', local: 'Local' } as const;

/** How the files are read now: rules against reading, and settings, change. */
async function readingOf(options: MemoryOptions) {
  const { cwd, roots } = options.workspace;
  const userHome = options.env.HOME ?? '';
  const isVisible = await options.readFilter();
  const excludes = options.excludes().map((glob) => globMatcher(glob.replace(/^~(?=\/)/, userHome)));
  const mayRead = (path: string) => isVisible(path) && !excludes.some((fits) => fits(path));
  return { cwd, roots, userHome, mayRead, isTrusted: () => isTrusted(options), warn: options.warn };
}

/** What a resume needs to know of a file that the model was told of. */
function recorded({ path, kind, text, isNested, globs, importedBy }: MemoryFile) {
  const facts = { ...(isNested && { isNested }), ...(globs && { globs }), ...(importedBy && { importedBy }) };
  return { path, digest: digestOf(text), kind, ...facts };
}

interface ToldBefore {
  path: string;
  digest: string | null;
  /** Where it is looked for again, when it was found on the way. */
  place: MemoryPlace | null;
  /** A rule for some files. */
  isScoped: boolean;
}

function toldFiles({ files }: Attachment): ToldBefore[] {
  return (Array.isArray(files) ? files : []).flatMap((file) => {
    const path = stringField(file, 'path');
    if (path === undefined || !isObject(file)) return [];
    const kind = Object.keys(TYPES).find((each) => each === file.kind) as MemoryKind | undefined;
    const isOwn = file.importedBy === undefined;
    const isPlace = file.isNested === true && isOwn && kind !== undefined;
    return {
      path,
      digest: stringField(file, 'digest') ?? null,
      place: isPlace ? placeOf(path, kind) : null,
      isScoped: Array.isArray(file.globs) && isOwn,
    };
  });
}

/** Of a rule the folder that it was found in: what it is for is read there again. */
function placeOf(path: string, kind: MemoryKind): MemoryPlace {
  const folder = /^.*\/\.claude\/rules(?=\/)/.exec(path)?.[0];
  return folder === undefined ? { path, kind, isNested: true } : { path: folder, kind, isNested: true, isFolder: true };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The same as long as the files are, and are as visible. */
function stampsOf(places: readonly MemoryPlace[], reading: Awaited<ReturnType<typeof readingOf>>): string[] {
  const paths = places.flatMap((place) => (place.isFolder ? rulePaths(place, reading) : place.path));
  return paths.map((path) => stampOf(path, reading.mayRead));
}

function stampOf(path: string, mayRead: (path: string) => boolean): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return '';
    return mayRead(path) ? `${stats.ino}.${stats.size}.${stats.mtimeMs}.${stats.ctimeMs}` : 'hidden';
  } catch {
    return 'unreadable';
  }
}

function isBelow(place: string, path: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** Whether the user answers for the project's files; then it may also have others read. */
function isTrusted({ config, configHome, workspace }: MemoryOptions): boolean {
  if (isVouchedFor(config)) return true;
  try {
    return trustOf(workspace.cwd, configHome) === 'trusted';
  } catch {
    return false; // a file that cannot be read trusts nobody
  }
}
