import {
  type Checkpoint,
  type FileSnapshot,
  type FileState,
  NOT_SAVED,
  readSnapshots,
  type StoredCheckpoints,
  snapshotsOn,
  stateAt,
  toCheckpoint,
  toSnapshot,
} from '../../sessions/tree/checkpoint-entries.ts';
import { messageOf } from '../../util/message-of.ts';
import type { FileBackup } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Backups } from './backups.ts';
import type { Change } from './watch-commands.ts';

/** Every prompt repeats all tracked files in its entry, so that their number needs a bound. */
const MAX_TRACKED = 5000;

export interface TrackedFilesOptions {
  cwd: string;
  backups: Backups;
  stored: StoredCheckpoints | null;
  /** Appends an update of the current checkpoint to the session's file. */
  record(snapshot: FileSnapshot): Promise<void>;
  /** Logs each text once. */
  warn(message: string): void;
}

/** The files that a session has changed, and their state at each user message. */
export class TrackedFiles {
  /** Files that tools of this run have changed. */
  readonly ownFiles = new Set<string>();
  readonly #options: TrackedFilesOptions;
  /** In the order of time, of all branches. */
  readonly #history: Checkpoint[];
  /** The messages of the active branch, which a rewind can name. */
  readonly #targets: Set<string>;

  constructor(options: TrackedFilesOptions) {
    const { cwd, backups, stored } = options;
    const { entries = [], messages = [] } = stored ?? {};
    this.#options = options;
    this.#history = readSnapshots(entries).map((snapshot) => toCheckpoint(cwd, snapshot));
    this.#targets = new Set(snapshotsOn(messages, entries).map(({ messageId }) => messageId));
    backups.noteVersions(this.#history);
  }

  /** Whether there is a checkpoint that changes belong to. */
  get hasCheckpoint(): boolean {
    return this.#history.length > 0;
  }

  /** Whether the state of the files at a message is known. */
  has(messageId: string): boolean {
    return this.#history.some((checkpoint) => checkpoint.messageId === messageId);
  }

  /** The state of the files at a message; null: it is unknown, or on another branch. */
  stateAt(messageId: string, { anyBranch }: { anyBranch: boolean }): ReadonlyMap<string, FileState> | null {
    return anyBranch || this.#targets.has(messageId) ? stateAt(this.#history, messageId) : null;
  }

  /** The conversation continues along these messages: a rewind can name them. */
  follow(messages: readonly string[]): void {
    this.#targets.clear();
    for (const uuid of messages) if (this.has(uuid)) this.#targets.add(uuid);
  }

  /** Adds a checkpoint. `isBusy`: a command may be changing files right now. Rejects with `storage_failed`. */
  async begin(messageId: string, { timestamp, isBusy }: { timestamp: string; isBusy: boolean }): Promise<FileSnapshot> {
    const checkpoint = { messageId, timestamp, ...(await this.#renewAll(isBusy)) };
    this.#history.push(checkpoint);
    this.#targets.add(messageId);
    return toSnapshot(this.#options.cwd, checkpoint);
  }

  /**
   * True for a file whose state at the current checkpoint is saved, or lost: its later states must not pass for that one.
   */
  isSettled(path: string): boolean {
    const current = this.#current;
    return current !== undefined && (current.files.has(path) || current.lost.has(path));
  }

  /** Saves a file that a tool is about to change. */
  async save(path: string, at: string): Promise<void> {
    await this.#track([[path, await this.#options.backups.save(path, at)]]);
  }

  /** Tracks what a command has changed. A file that cannot be saved or recorded is lost for this checkpoint. */
  async take(changes: readonly Change[]): Promise<void> {
    const current = this.#current;
    if (!current) return;
    const lose = (path: string, error: unknown) => current.lost.set(path, messageOf(error));
    const saved: [string, FileBackup][] = [];
    for (const change of changes) {
      try {
        saved.push([change.path, await this.#adopt(change, current.files.size + saved.length)]);
      } catch (error) {
        lose(change.path, error);
      }
    }
    if (saved.length === 0) return;
    try {
      await this.#track(saved);
    } catch (error) {
      this.warnOfLoss(error);
      for (const [path] of saved) lose(path, error);
    }
  }

  warnOfLoss(error: unknown): void {
    this.#options.warn(`What a command changed could not be kept: ${messageOf(error)}`);
  }

  get #current(): Checkpoint | undefined {
    return this.#history.at(-1);
  }

  /** The present state of all tracked files. A lost file gets a new chance, unless a command may be changing it now. */
  async #renewAll(isBusy: boolean): Promise<Pick<Checkpoint, 'files' | 'lost'>> {
    const { backups, warn } = this.#options;
    const files = new Map<string, FileBackup>();
    const lost = new Map(isBusy ? this.#current?.lost : []);
    for (const [path, last] of this.#current?.files ?? []) {
      const backup = await backups.renew(path, last).catch((error) => {
        throw new HeddleError('storage_failed', `${path} could not be kept: ${messageOf(error)}`, { cause: error });
      });
      if (backup) {
        files.set(path, backup);
        continue;
      }
      lost.set(path, NOT_SAVED);
      warn(`${path} cannot be kept any more (too large, unreadable, or a link): a rewind leaves it alone`);
    }
    return { files, lost };
  }

  async #adopt({ path, copy }: Change, tracked: number): Promise<FileBackup> {
    const { backups, warn } = this.#options;
    if (tracked >= MAX_TRACKED) {
      warn(`Commands have changed more than ${MAX_TRACKED} files: a rewind leaves the rest alone`);
      throw new Error('commands had changed too many files');
    }
    if (copy === undefined) throw new Error('there was no copy when a command changed it');
    if (copy === null) return backups.absent(path);
    return backups.adopt(copy, path).catch((error) => {
      this.warnOfLoss(error);
      throw error;
    });
  }

  /** Recorded before anything changes. A file that could not be recorded is not tracked. */
  async #track(saved: readonly (readonly [string, FileBackup])[]): Promise<void> {
    const current = this.#current;
    if (!current) return;
    for (const [path, backup] of saved) current.files.set(path, backup);
    try {
      await this.#options.record(toSnapshot(this.#options.cwd, current));
    } catch (error) {
      for (const [path] of saved) current.files.delete(path);
      throw error;
    }
    for (const [path] of saved) this.ownFiles.add(path);
  }
}
