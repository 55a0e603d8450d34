import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Policy } from '../permissions/decide.ts';
import { isReadOnlyCommand } from '../permissions/read-only-commands.ts';
import { nodeRealPath } from '../permissions/real-path.ts';
import {
  type Checkpoint,
  type FileSnapshot,
  NOT_KEPT,
  readSnapshots,
  snapshotsOn,
  stateAt,
  toCheckpoint,
  toSnapshot,
} from '../sessions/file-history.ts';
import { type ChangeKeeper, checkpointedWorkspace } from '../tools/checkpointed-workspace.ts';
import type { FileStates } from '../tools/file-states.ts';
import { ToolError } from '../tools/tool.ts';
import type { HeldFile, Workspace } from '../tools/workspace.ts';
import { Aborted } from '../util/abort.ts';
import { messageOf } from '../util/message-of.ts';
import { oneAtATime } from '../util/one-at-a-time.ts';
import type { ProcessOutcome, ProcessSpec } from '../util/process.ts';
import type { Runtime } from '../util/runtime.ts';
import type { RewindFilesResult } from '../wire/control/index.ts';
import type { Entry, FileBackup } from '../wire/entries.ts';
import { ControlError, HeddleError } from '../wire/errors.ts';
import { Backups } from './checkpoint-backups.ts';
import { applyRewind, countLines, errorOf, planRewind, type RewindBounds } from './checkpoint-rewind.ts';
import { type Change, CommandWatch, WATCH_LIMITS, type WatchLimits } from './checkpoint-watch.ts';

/** What the session's file holds of earlier checkpoints. */
export interface PastCheckpoints {
  /** The session that they are of: another one after a fork. */
  sessionId: string;
  /** All its snapshot entries, of every branch, in the order of the file. */
  entries: readonly Entry[];
  /** The messages of the branch that goes on. */
  messages: readonly string[];
}

export interface CheckpointOptions {
  runtime: Runtime;
  workspace: Workspace;
  /** What the model has seen of files: forgotten for those that a rewind changes. */
  files: FileStates;
  /** The config home. */
  home: string;
  sessionId: string;
  past: PastCheckpoints | null;
  /** Appends an update to the session's file. */
  record: (snapshot: FileSnapshot) => Promise<void>;
  /** Appends entries as they are; null when nothing is to be left behind. */
  append: ((entries: readonly Entry[]) => Promise<void>) | null;
  /** Says where a rewind may write. */
  policy: () => Pick<Policy, 'roots' | 'protectedPath' | 'ready'>;
  limits?: Partial<WatchLimits>;
}

export interface RewindOptions {
  dryRun: boolean;
  /** Also to a message of another branch. */
  anyBranch?: boolean;
  /** The answer names the files that were changed. A dry run always names them. */
  namesFiles?: boolean;
}

/** A session whose tracked files grew without bounds would repeat them all with every prompt. */
const MAX_TRACKED = 5000;

/** Opens the checkpoints of a session; a fork gets copies of those that it begins with. */
export async function openCheckpoints(options: CheckpointOptions): Promise<Checkpoints> {
  const { home, sessionId, past, append, runtime } = options;
  const now = () => new Date(runtime.clock.now()).toISOString();
  const backupsOf = (id: string) => new Backups(join(home, 'file-history', id), now);
  const backups = backupsOf(sessionId);
  if (past && past.sessionId !== sessionId && past.entries.length > 0) {
    const source = backupsOf(past.sessionId);
    await backups.inherit(source, new Set(readSnapshots(past.entries).flatMap(namesIn)));
    await append?.(past.entries);
  }
  return new Checkpoints(options, backups);
}

/**
 * Keeps files as they were when each user message was sent (wire.md 8.6), so that they can be brought back. An edit waits
 * until the file is kept and that is recorded; what a command changes is found out afterwards.
 */
export class Checkpoints implements ChangeKeeper {
  /** Where the tools of the session act. */
  readonly workspace: Workspace;
  readonly #options: CheckpointOptions;
  readonly #backups: Backups;
  readonly #watch: CommandWatch;
  /** In the order of time, of all branches. */
  readonly #history: Checkpoint[];
  /** The messages that can be rewound to. */
  readonly #targets: Set<string>;
  readonly #ownFiles = new Set<string>();
  readonly #said = new Set<string>();
  /** What commands have left running: each tells whether it still is. */
  readonly #leftRunning = new Set<() => Promise<boolean>>();
  #commands = 0;
  #isTurnRunning = false;
  /** One thing at a time: subagents and background commands act beside the turn. */
  readonly #alone = oneAtATime();

  constructor(options: CheckpointOptions, backups: Backups) {
    const { workspace, home, past } = options;
    this.#options = options;
    this.#backups = backups;
    this.workspace = checkpointedWorkspace(workspace, this);
    this.#watch = new CommandWatch({
      roots: () => options.policy().roots,
      skip: [home, nodeRealPath(home) ?? home],
      folder: join(home, 'file-history', '.before-commands', randomUUID()), // two runs with the same seed must not share it
      limits: { ...WATCH_LIMITS, ...options.limits },
      warn: (message) => this.#warn(message),
    });
    const snapshots = readSnapshots(past?.entries ?? []);
    this.#history = snapshots.map((snapshot) => toCheckpoint(workspace.cwd, snapshot));
    this.#targets = new Set(snapshotsOn(past?.messages ?? [], past?.entries ?? []).map(({ messageId }) => messageId));
    backups.noteVersions(this.#history);
  }

  /** The checkpoint of a user message that is about to be recorded. Rejects with `storage_failed`. */
  begin(messageId: string): Promise<FileSnapshot> {
    return this.#alone(async () => {
      if (this.#isBusy) await this.#look(); // before the turn counts as running, unless the message joins one
      this.#isTurnRunning = true;
      const timestamp = new Date(this.#options.runtime.clock.now()).toISOString();
      const checkpoint = { messageId, timestamp, ...(await this.#renewAll()) };
      this.#history.push(checkpoint);
      this.#targets.add(messageId);
      return toSnapshot(this.workspace.cwd, checkpoint);
    });
  }

  /** The conversation goes on along these messages: they are what can be rewound to. */
  follow(messages: readonly string[]): void {
    const known = new Set(this.#history.map(({ messageId }) => messageId));
    this.#targets.clear();
    for (const uuid of messages) if (known.has(uuid)) this.#targets.add(uuid);
  }

  /** Keeps the present state under the message that the conversation is left at, so that a return can restore it. */
  async leave(messageId: string): Promise<void> {
    const snapshot = await this.begin(messageId);
    this.#isTurnRunning = false;
    await this.#options.append?.([{ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false }]);
  }

  /** Whether the state of the files at a message is known. */
  has(messageId: string): boolean {
    return this.#history.some((checkpoint) => checkpoint.messageId === messageId);
  }

  /** Notes what commands in the background have changed so far; what they do until the next turn is not known. */
  async endTurn(): Promise<void> {
    if (this.#isBusy) await this.#alone(() => this.#look());
    this.#isTurnRunning = false;
  }

  async beforeWrite({ path, at }: HeldFile): Promise<void> {
    await this.#alone(async () => {
      if (!this.#current || this.#isSettled(path)) return;
      try {
        await this.#track([[path, await this.#backups.keep(path, at)]]);
      } catch (error) {
        const reason = 'its present state could not be kept for a rewind';
        throw new ToolError(`${path} was not changed, because ${reason}: ${messageOf(error)}`, { cause: error });
      }
    });
  }

  async aroundProcess(
    spec: ProcessSpec,
    signal: AbortSignal,
    run: () => Promise<ProcessOutcome>,
  ): Promise<ProcessOutcome> {
    if (!this.#current || !mayChangeFiles(spec)) return run();
    await this.#alone(() => this.#look(signal));
    this.#commands++;
    try {
      const outcome = await run();
      if (outcome.stillRunning) this.#leftRunning.add(outcome.livesOn ?? (async () => true));
      return outcome;
    } finally {
      // It counts as running until then, or another command that starts now would take its changes for the user's.
      await this.#alone(() => this.#look()).finally(() => this.#commands--);
    }
  }

  /** Brings files back to how they were when a message was sent. Rejects with a ControlError for an unknown message. */
  rewind(messageId: string, options: RewindOptions): Promise<RewindFilesResult> {
    const { dryRun, anyBranch = false, namesFiles = false } = options;
    return this.#alone(async () => {
      const isTarget = anyBranch || this.#targets.has(messageId);
      const state = isTarget ? stateAt(this.#history, messageId) : null;
      if (!state) throw new ControlError(`There is no file checkpoint for the message ${messageId}`, 'no_checkpoint');
      await this.#options.policy().ready?.();
      const plan = await planRewind(state, this.#bounds);
      if (dryRun) {
        const filesChanged = plan.steps.map(({ path }) => path);
        return { canRewind: true, filesChanged, ...(await countLines(plan.steps)), ...errorOf(plan.problems) };
      }
      const { changed, problems } = await applyRewind(plan.steps, this.#bounds);
      this.#forgetSeen(new Set(changed));
      const named = namesFiles ? { filesChanged: changed } : {};
      return { canRewind: true, ...named, ...errorOf([...plan.problems, ...problems]) };
    });
  }

  /** Lets go of what only this run needed. Never rejects. */
  async close(): Promise<void> {
    await this.#alone(async () => {
      try {
        await this.#watch.close();
      } finally {
        if (!this.#options.append) await this.#backups.forget();
        await this.#backups.tidy();
      }
    }).catch((error) => this.#warn(`Copies of files could not be removed: ${messageOf(error)}`));
  }

  get #current(): Checkpoint | undefined {
    return this.#history.at(-1);
  }

  /** Whether something may be changing files right now. */
  get #isBusy(): boolean {
    return this.#commands > 0 || this.#leftRunning.size > 0;
  }

  get #bounds(): RewindBounds {
    const { roots, protectedPath } = this.#options.policy();
    return { backups: this.#backups, roots, ownFiles: this.#ownFiles, isProtected: protectedPath };
  }

  /**
   * True for a file whose state at the current checkpoint is kept, or lost: what it is later must not pass for that.
   */
  #isSettled(path: string): boolean {
    const current = this.#current;
    return current !== undefined && (current.files.has(path) || current.lost.has(path));
  }

  /** Changes are the commands' only while one is running, in a turn: others may be the user's, and not ours to undo. */
  async #look(signal?: AbortSignal): Promise<void> {
    const areOurs = this.#isBusy && this.#isTurnRunning;
    const ended = await this.#endedProcesses(); // asked before: this look still has to find what they did last
    try {
      await this.#watch.look({
        isKept: (path) => this.#isSettled(path),
        ...(areOurs && { take: (changes) => this.#take(changes) }),
        ...(signal && { signal }),
      });
      for (const each of ended) this.#leftRunning.delete(each);
    } catch (error) {
      if (error instanceof Aborted) throw error;
      this.#warnOfLoss(error); // the command has run, and its result counts
    }
  }

  async #endedProcesses(): Promise<(() => Promise<boolean>)[]> {
    const ended: (() => Promise<boolean>)[] = [];
    for (const livesOn of this.#leftRunning) if (!(await livesOn())) ended.push(livesOn);
    return ended;
  }

  /** What is tracked, as it is now. What was lost begins anew, unless something may be changing it at this moment. */
  async #renewAll(): Promise<Pick<Checkpoint, 'files' | 'lost'>> {
    const files = new Map<string, FileBackup>();
    const lost = new Map(this.#isBusy ? this.#current?.lost : []);
    for (const [path, last] of this.#current?.files ?? []) {
      const backup = await this.#backups.renew(path, last).catch((error) => {
        throw new HeddleError('storage_failed', `${path} could not be kept: ${messageOf(error)}`, { cause: error });
      });
      if (backup) {
        files.set(path, backup);
        continue;
      }
      lost.set(path, NOT_KEPT);
      this.#warn(`${path} cannot be kept any more (too large, unreadable, or a link): a rewind leaves it alone`);
    }
    return { files, lost };
  }

  /** What cannot be kept or recorded is lost: it has changed already, and its next change must not pass for this one. */
  async #take(changes: readonly Change[]): Promise<void> {
    const current = this.#current;
    if (!current) return;
    const lose = (path: string, error: unknown) => current.lost.set(path, messageOf(error));
    const kept: [string, FileBackup][] = [];
    for (const change of changes) {
      try {
        kept.push([change.path, await this.#adopt(change, current.files.size + kept.length)]);
      } catch (error) {
        lose(change.path, error);
      }
    }
    if (kept.length === 0) return;
    try {
      await this.#track(kept);
    } catch (error) {
      this.#warnOfLoss(error);
      for (const [path] of kept) lose(path, error);
    }
  }

  async #adopt({ path, copy }: Change, tracked: number): Promise<FileBackup> {
    if (tracked >= MAX_TRACKED) {
      this.#warn(`Commands have changed more than ${MAX_TRACKED} files: a rewind leaves the rest alone`);
      throw new Error('commands had changed too many files');
    }
    if (copy === undefined) throw new Error('there was no copy when a command changed it');
    if (copy === null) return this.#backups.absent(path);
    return this.#backups.adopt(copy, path).catch((error) => {
      this.#warnOfLoss(error);
      throw error;
    });
  }

  /** On disk before anything changes; what could not be recorded is not tracked. */
  async #track(kept: readonly (readonly [string, FileBackup])[]): Promise<void> {
    const current = this.#current;
    if (!current) return;
    for (const [path, backup] of kept) current.files.set(path, backup);
    try {
      await this.#options.record(toSnapshot(this.workspace.cwd, current));
    } catch (error) {
      for (const [path] of kept) current.files.delete(path);
      throw error;
    }
    for (const [path] of kept) this.#ownFiles.add(path);
  }

  /** The model has to read again what is not as it last saw it. */
  #forgetSeen(changed: ReadonlySet<string>): void {
    const { files } = this.#options;
    for (const path of [...files.keys()]) {
      if (changed.has(path) || changed.has(nodeRealPath(path) ?? path)) files.delete(path);
    }
  }

  #warnOfLoss(error: unknown): void {
    this.#warn(`What a command changed could not be kept: ${messageOf(error)}`);
  }

  #warn(message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#options.runtime.log('warn', message);
  }
}

function namesIn({ trackedFileBackups }: FileSnapshot): string[] {
  return Object.values(trackedFileBackups).flatMap(({ backupFileName }) => backupFileName ?? []);
}

/** The search program only reads. A shell does what its command says; of anything else the worst is assumed. */
function mayChangeFiles({ command, args: [flag, line] }: ProcessSpec): boolean {
  const program = basename(command);
  if (program === 'rg') return false;
  return !(program === 'bash' && flag === '-c' && line !== undefined && isReadOnlyCommand(line));
}
