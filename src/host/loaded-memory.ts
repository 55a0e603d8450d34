import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Attachment } from '../agent/attachment.ts';
import { memoryReminder } from '../agent/memory-text.ts';
import { type MemoryFile, readMemory } from '../config/memory-files.ts';
import type { MemoryKind, MemoryPlace } from '../config/memory-places.ts';
import { trustOf } from '../config/trust-store.ts';
import { isObject, stringField } from '../util/json.ts';
import { isVouchedFor } from './launch-settings.ts';
import type { MemoryOptions, SessionMemory } from './memory.ts';

/** What an InstructionsLoaded hook is told, beside what every hook is. */
export interface InstructionsLoaded {
  file_path: string;
  memory_type: 'User' | 'Project' | 'Local';
  load_reason: 'session_start' | 'nested_traversal' | 'include' | 'compact' | 'file_changed';
  /** The file that imports it. */
  parent_file_path?: string;
  /** The file that was worked on, for one below the working directory. */
  trigger_file_path?: string;
}

/** A place below the working directory, and the file that led there. */
export interface NestedPlace {
  place: MemoryPlace;
  trigger: string;
}

export interface LoadedMemory extends Pick<SessionMemory, 'told' | 'forget' | 'files'> {
  news(found: readonly NestedPlace[]): Promise<Attachment | null>;
  nestedNews(found: readonly NestedPlace[]): Promise<Attachment | null>;
}

/** The memory of a session that has some: reads it again when a file has changed, and knows what the model was told. */
export function createLoadedMemory(
  places: readonly MemoryPlace[],
  options: MemoryOptions & { onLoaded(loaded: InstructionsLoaded): void },
): LoadedMemory {
  /** By path: the digest of the text that the model knows. */
  const known = new Map<string, string>();
  const nested = new Map<string, NestedPlace>();
  /** What hooks hear once the model was told. */
  const unsaid = new WeakMap<Attachment, InstructionsLoaded[]>();
  let files: MemoryFile[] = [];
  let stamp: string | null = null;
  let reason: InstructionsLoaded['load_reason'] = 'session_start';

  function read(found: readonly NestedPlace[]): void {
    for (const each of found) if (!nested.has(each.place.path)) nested.set(each.place.path, each);
    const all = [...places, ...[...nested.values()].map(({ place }) => place)];
    const mayRead = options.readFilter();
    const stampNow = () => [...all, ...files].map(({ path }) => stampOf(path, mayRead)).join(' ');
    if (stampNow() === stamp) return;
    const { cwd, roots } = options.workspace;
    const userHome = options.env.HOME ?? '';
    files = readMemory(all, { cwd, roots, userHome, mayRead, isTrusted: () => isTrusted(options), warn: options.warn });
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

  function toldToHooks({ path, kind, importedBy, isNested }: MemoryFile): InstructionsLoaded {
    const ofNested = isNested ? 'nested_traversal' : reason;
    const trigger = nested.get(path)?.trigger;
    return {
      file_path: path,
      memory_type: TYPES[kind],
      load_reason: known.has(path) ? 'file_changed' : importedBy === undefined ? ofNested : 'include',
      ...(importedBy !== undefined && { parent_file_path: importedBy }),
      ...(trigger !== undefined && { trigger_file_path: trigger }),
    };
  }

  return {
    async news(found) {
      read(found);
      const fresh = files.filter(({ path, text }) => known.get(path) !== digestOf(text));
      const gone = [...known.keys()].filter((path) => !files.some((file) => file.path === path));
      return attachmentOf(fresh, gone);
    },
    async nestedNews(found) {
      read(found);
      const fresh = files.filter(({ path, isNested }) => isNested && !known.has(path));
      return attachmentOf(fresh, []);
    },
    told(attachment) {
      for (const { path, digest, place } of toldFiles(attachment)) {
        if (digest === null) known.delete(path);
        else known.set(path, digest);
        if (place && digest !== null && !nested.has(path)) nested.set(path, { place, trigger: path });
      }
      for (const loaded of unsaid.get(attachment) ?? []) options.onLoaded(loaded);
      unsaid.delete(attachment);
    },
    forget(why) {
      known.clear();
      nested.clear(); // told again when something there is worked on again
      reason = why === 'compact' ? 'compact' : 'session_start';
    },
    files: () => files.map(({ path, kind }) => ({ path, type: kind })),
  };
}

const TYPES = { user: 'User', project: 'Project', local: 'Local' } as const;

/** What a resume needs to know of a file that the model was told of. */
function recorded({ path, kind, text, isNested, importedBy }: MemoryFile) {
  return { path, digest: digestOf(text), kind, ...(isNested && { isNested }), ...(importedBy && { importedBy }) };
}

interface ToldBefore {
  path: string;
  digest: string | null;
  /** Where it is looked for again, when it was found on the way. */
  place: MemoryPlace | null;
}

function toldFiles({ files }: Attachment): ToldBefore[] {
  return (Array.isArray(files) ? files : []).flatMap((file) => {
    const path = stringField(file, 'path');
    if (path === undefined || !isObject(file)) return [];
    const kind = Object.keys(TYPES).find((each) => each === file.kind) as MemoryKind | undefined;
    const isPlace = file.isNested === true && file.importedBy === undefined && kind !== undefined;
    return {
      path,
      digest: stringField(file, 'digest') ?? null,
      place: isPlace ? { path, kind, isNested: true } : null,
    };
  });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The same as long as the file is, and is as visible. */
function stampOf(path: string, mayRead: (path: string) => boolean): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return '';
    return mayRead(path) ? `${stats.ino}.${stats.size}.${stats.mtimeMs}.${stats.ctimeMs}` : 'hidden';
  } catch {
    return 'unreadable';
  }
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
