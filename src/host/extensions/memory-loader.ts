import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Attachment } from '../../agent/attachment.ts';
import { memoryReminder } from '../../agent/messages/memory-text.ts';
import { type MemoryFile, readMemory, rulePaths } from '../../config/memory/memory-files.ts';
import type { MemoryKind, MemoryLocation } from '../../config/memory/memory-locations.ts';
import { ruleHolds, type ScopedRule } from '../../config/memory/memory-rules.ts';
import { trustOf } from '../../config/trust-store.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { isObject, stringField } from '../../util/json.ts';
import { globMatcher } from '../../util/text/glob.ts';
import { isTrustedByLaunch } from '../launch/apply-settings.ts';
import type {
  InstructionsLoaded,
  ListedMemory,
  LoadedMemory,
  MemoryOptions,
  NestedLocation,
  SessionMemory,
  Touched,
} from './session-memory.ts';

/** The memory of a session that has memory files. It reads a file again when it has changed. */
export class MemoryLoader implements LoadedMemory {
  readonly #locations: readonly MemoryLocation[];
  readonly #options: LoaderOptions;
  /** By path: the digest of the text that the model knows. */
  readonly #known = new Map<string, string>();
  readonly #nested = new Map<string, NestedLocation>();
  /** Rules for some files, by path: the file that was worked on. */
  readonly #due = new Map<string, string>();
  /** The other rules for some files. */
  #idle: ScopedRule[] = [];
  /** The input of the hooks that run when the attachment is recorded. */
  readonly #announcements = new WeakMap<Attachment, InstructionsLoaded[]>();
  #files: MemoryFile[] = [];
  #stamp: string | null = null;
  #reason: InstructionsLoaded['load_reason'] = 'session_start';

  constructor(locations: readonly MemoryLocation[], options: LoaderOptions) {
    this.#locations = locations;
    this.#options = options;
  }

  async pending(touched: Touched): Promise<Attachment | null> {
    await this.#read(touched);
    const fresh = this.#files.filter(({ path, text }) => this.#known.get(path) !== digestOf(text));
    const gone = [...this.#known.keys()].filter((path) => !this.#files.some((file) => file.path === path));
    return this.#attachmentOf(fresh, gone);
  }

  async pendingNested(touched: Touched): Promise<Attachment | null> {
    await this.#read(touched);
    const fresh = this.#files.filter(({ path, isNested, globs }) => (isNested || globs) && !this.#known.has(path));
    return this.#attachmentOf(fresh, []);
  }

  async list(touched: Touched): Promise<ListedMemory[]> {
    await this.#read(touched);
    const loaded = this.#files.map((file): ListedMemory => {
      const { path, kind, text, importedBy, globs } = file;
      return { path, kind, bytes: Buffer.byteLength(text), globs, importedBy, trigger: this.#triggerOf(file) };
    });
    return [...loaded, ...this.#idle.map(({ path, kind, globs }) => ({ path, kind, globs, bytes: null }))];
  }

  markReported(attachment: Attachment): void {
    for (const { path, digest, location, isScoped } of reportedFiles(attachment)) {
      if (digest === null) this.#known.delete(path);
      else this.#known.set(path, digest);
      if (digest === null) continue;
      if (location && !this.#nested.has(location.path)) this.#nested.set(location.path, { location, trigger: path });
      if (isScoped && !this.#due.has(path)) this.#due.set(path, path);
    }
    for (const loaded of this.#announcements.get(attachment) ?? []) this.#options.onLoaded(loaded);
    this.#announcements.delete(attachment);
  }

  forget(why: Parameters<SessionMemory['forget']>[0]): void {
    this.#known.clear();
    // Sent again when a tool works there again.
    this.#nested.clear();
    this.#due.clear();
    this.#reason = why === 'compact' ? 'compact' : 'session_start';
  }

  files(): ReturnType<SessionMemory['files']> {
    return this.#files.map(({ path, kind }) => ({ path, type: kind }));
  }

  async #read(touched: Touched): Promise<void> {
    const reading = await readOptions(this.#options);
    for (const each of touched.nested) {
      if (!this.#nested.has(each.location.path)) this.#nested.set(each.location.path, each);
    }
    const all = [...this.#locations, ...[...this.#nested.values()].map(({ location }) => location)];
    const isDue = (rule: ScopedRule) => {
      const trigger = touched.files.find((file) => ruleHolds(rule, file, reading.roots));
      if (trigger !== undefined && !this.#due.has(rule.path)) this.#due.set(rule.path, trigger);
      return this.#due.has(rule.path);
    };
    for (const rule of this.#idle) isDue(rule);
    const stampNow = () => [...this.#due.keys(), ...stampsOf([...all, ...this.#files], reading)].join(' ');
    if (stampNow() === this.#stamp) return;
    const idle: ScopedRule[] = [];
    this.#idle = idle;
    this.#files = readMemory(all, {
      ...reading,
      isDue(rule) {
        const isWanted = isDue(rule);
        if (!isWanted) idle.push(rule);
        return isWanted;
      },
    });
    this.#stamp = stampNow();
  }

  /** Null: the model knows everything. */
  #attachmentOf(fresh: readonly MemoryFile[], gone: readonly string[]): Attachment | null {
    if (fresh.length === 0 && gone.length === 0) return null;
    const shown = fresh.map((file) => ({ ...file, ...(this.#known.has(file.path) && { isChanged: true as const }) }));
    const attachment = {
      type: 'memory',
      content: memoryReminder(shown, gone),
      files: [...fresh.map(recorded), ...gone.map((path) => ({ path, digest: null }))],
    };
    this.#announcements.set(
      attachment,
      fresh.map((file) => this.#announcementOf(file)),
    );
    return attachment;
  }

  #announcementOf(file: MemoryFile): InstructionsLoaded {
    const { path, kind, importedBy, globs } = file;
    const trigger = this.#triggerOf(file);
    return {
      file_path: path,
      memory_type: TYPES[kind],
      load_reason: this.#known.has(path) ? 'file_changed' : this.#reasonOf(file),
      ...(globs && { globs }),
      ...(importedBy !== undefined && { parent_file_path: importedBy }),
      ...(trigger !== undefined && { trigger_file_path: trigger }),
    };
  }

  #reasonOf({ importedBy, globs, isNested }: MemoryFile): InstructionsLoaded['load_reason'] {
    if (importedBy !== undefined) return 'include';
    if (globs) return 'path_glob_match';
    return isNested ? 'nested_traversal' : this.#reason;
  }

  #triggerOf({ path, isNested }: MemoryFile): string | undefined {
    const folder = isNested && [...this.#nested.values()].find(({ location }) => isInside(location.path, path));
    return this.#due.get(path) ?? (folder || undefined)?.trigger;
  }
}

type LoaderOptions = MemoryOptions & { onLoaded(loaded: InstructionsLoaded): void };

const TYPES = { user: 'User', project: 'Project', local: 'Local' } as const;

/** The rules against reading and the settings may change, so that these options are made for each read. */
async function readOptions(options: MemoryOptions) {
  const { cwd, roots } = options.workspace;
  const userHome = options.env.HOME ?? '';
  const isVisible = await options.readableFilter();
  const excludes = options.excludes().map((glob) => globMatcher(glob.replace(/^~(?=\/)/, userHome)));
  const mayRead = (path: string) => isVisible(path) && !excludes.some((fits) => fits(path));
  return { cwd, roots, userHome, mayRead, isTrusted: () => isTrusted(options), warn: options.warn };
}

/** What a resume needs to know of a file that the model has read. */
function recorded({ path, kind, text, isNested, globs, importedBy }: MemoryFile) {
  const details = { ...(isNested && { isNested }), ...(globs && { globs }), ...(importedBy && { importedBy }) };
  return { path, digest: digestOf(text), kind, ...details };
}

interface ReportedBefore {
  path: string;
  digest: string | null;
  /** Where a nested file is looked for again. */
  location: MemoryLocation | null;
  /** A rule for some files. */
  isScoped: boolean;
}

function reportedFiles({ files }: Attachment): ReportedBefore[] {
  return (Array.isArray(files) ? files : []).flatMap((file) => {
    const path = stringField(file, 'path');
    if (path === undefined || !isObject(file)) return [];
    const kind = Object.keys(TYPES).find((each) => each === file.kind) as MemoryKind | undefined;
    const isOwn = file.importedBy === undefined;
    const isPlace = file.isNested === true && isOwn && kind !== undefined;
    return {
      path,
      digest: stringField(file, 'digest') ?? null,
      location: isPlace ? locationOf(path, kind) : null,
      isScoped: Array.isArray(file.globs) && isOwn,
    };
  });
}

/** For a rule, the folder of rules: the files that it applies to are read there again. */
function locationOf(path: string, kind: MemoryKind): MemoryLocation {
  const folder = /^.*\/\.claude\/rules(?=\/)/.exec(path)?.[0];
  return folder === undefined ? { path, kind, isNested: true } : { path: folder, kind, isNested: true, isFolder: true };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Changes when a file changes, or becomes hidden or visible. */
function stampsOf(locations: readonly MemoryLocation[], reading: Awaited<ReturnType<typeof readOptions>>): string[] {
  const paths = locations.flatMap((location) => (location.isFolder ? rulePaths(location, reading) : location.path));
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

/** Whether the user trusts the project: then its files may import files from elsewhere. */
function isTrusted({ config, configHome, workspace }: MemoryOptions): boolean {
  if (isTrustedByLaunch(config)) return true;
  try {
    return trustOf(workspace.cwd, configHome) === 'trusted';
  } catch {
    return false; // an unreadable trust file trusts no project
  }
}
