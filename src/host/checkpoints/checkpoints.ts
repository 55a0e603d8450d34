import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { isReadOnlyCommand } from '../../permissions/commands/read-only-commands.ts';
import type { Policy } from '../../permissions/decide.ts';
import { nodeRealPath } from '../../permissions/real-path.ts';
import { type FileSnapshot, readSnapshots, type StoredCheckpoints } from '../../sessions/tree/checkpoint-entries.ts';
import type { FileStates } from '../../tools/file-states.ts';
import { ToolError } from '../../tools/tool.ts';
import { type ChangeKeeper, checkpointedWorkspace } from '../../tools/workspace/checkpointed-workspace.ts';
import type { HeldFile, Workspace } from '../../tools/workspace.ts';
import { Aborted } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import { warnOnce } from '../../util/once.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import type { ChangedText, ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { RewindFilesResult } from '../../wire/control/index.ts';
import type { Entry } from '../../wire/entries.ts';
import { ControlError } from '../../wire/errors.ts';
import { Backups } from './backups.ts';
import { changedTexts } from './changed-texts.ts';
import { applyRewind, countLines, errorOf, planRewind } from './rewind-files.ts';
import { TrackedFiles } from './tracked-files.ts';
import { CommandWatch, WATCH_LIMITS, type WatchLimits } from './watch-commands.ts';

export interface CheckpointOptions {
  runtime: Runtime;
  workspace: Workspace;
  /** What the model has read of files; a rewind removes the files that it changes. */
  files: FileStates;
  /** The config home. */
  home: string;
  sessionId: string;
  stored: StoredCheckpoints | null;
  /** Appends an update to the session's file. */
  record: (snapshot: FileSnapshot) => Promise<void>;
  /** Appends entries as they are; null for a session that is not saved. */
  append: ((entries: readonly Entry[]) => Promise<void>) | null;
  /** Decides where a rewind may write. */
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

/** Opens the checkpoints of a session. A fork copies the checkpoints that it begins with. */
export async function openCheckpoints(options: CheckpointOptions): Promise<Checkpoints> {
  const { home, sessionId, stored, append, runtime } = options;
  const now = () => new Date(runtime.clock.now()).toISOString();
  const backupsOf = (id: string) => new Backups(join(home, 'file-history', id), now);
  const backups = backupsOf(sessionId);
  if (stored && stored.sessionId !== sessionId && stored.entries.length > 0) {
    const source = backupsOf(stored.sessionId);
    await backups.inherit(source, new Set(readSnapshots(stored.entries).flatMap(namesIn)));
    await append?.(stored.entries);
  }
  return new Checkpoints(options, backups);
}

/**
 * Saves files as they were when each user message was sent, so that they can be restored. A tool's edit waits until the
 * file is saved and recorded. The changes of a command are found after it has run.
 */
export class Checkpoints implements ChangeKeeper {
  /** The workspace in which the tools of the session act. */
  readonly workspace: Workspace;
  readonly #options: CheckpointOptions;
  readonly #backups: Backups;
  readonly #tracked: TrackedFiles;
  readonly #watch: CommandWatch;
  readonly #commands = new RunningCommands();
  readonly #warn: (message: string) => void;
  #isTurnRunning = false;
  /** One step at a time: subagents and background commands act at the same time as the turn. */
  readonly #alone = oneAtATime();

  constructor(options: CheckpointOptions, backups: Backups) {
    const { workspace, home, stored, record } = options;
    const { cwd } = workspace;
    const warn = warnOnce(options.runtime.log);
    this.#options = options;
    this.#backups = backups;
    this.#warn = warn;
    this.workspace = checkpointedWorkspace(workspace, this);
    this.#watch = new CommandWatch({
      roots: () => options.policy().roots,
      skip: [home, nodeRealPath(home) ?? home],
      folder: join(home, 'file-history', '.before-commands', randomUUID()), // two runs with the same seed must not share it
      limits: { ...WATCH_LIMITS, ...options.limits },
      warn,
    });
    this.#tracked = new TrackedFiles({ cwd, backups, stored, record, warn });
  }

  /** Makes the checkpoint of a user message that is about to be recorded. Rejects with `storage_failed`. */
  begin(messageId: string): Promise<FileSnapshot> {
    return this.#alone(async () => {
      if (this.#commands.isBusy) await this.#look(); // before the turn counts as running, unless the message joins one
      this.#isTurnRunning = true;
      const timestamp = new Date(this.#options.runtime.clock.now()).toISOString();
      return this.#tracked.begin(messageId, { timestamp, isBusy: this.#commands.isBusy });
    });
  }

  /** The conversation continues along these messages: a rewind can name them. */
  follow(messages: readonly string[]): void {
    this.#tracked.follow(messages);
  }

  /** Saves the present state under the message that the conversation leaves, so that a return can restore it. */
  async leave(messageId: string): Promise<void> {
    const snapshot = await this.begin(messageId);
    this.#isTurnRunning = false;
    await this.#options.append?.([{ type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false }]);
  }

  /** Whether the state of the files at a message is known. */
  has(messageId: string): boolean {
    return this.#tracked.has(messageId);
  }

  /** Saves what background commands have changed so far. Their changes between two turns are not tracked. */
  async endTurn(): Promise<void> {
    if (this.#commands.isBusy) await this.#alone(() => this.#look());
    this.#isTurnRunning = false;
  }

  async beforeWrite({ path, at }: HeldFile): Promise<void> {
    await this.#alone(async () => {
      if (!this.#tracked.hasCheckpoint || this.#tracked.isSettled(path)) return;
      try {
        await this.#tracked.save(path, at);
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
    if (!this.#tracked.hasCheckpoint || !mayChangeFiles(spec)) return run();
    await this.#alone(() => this.#look({ signal }));
    const changed: ChangedText[] = [];
    const outcome = await this.#commands.during(run, () => this.#alone(() => this.#look({ changed })));
    return changed.length === 0 ? outcome : { ...outcome, changed };
  }

  /** Restores files as they were when a message was sent. Rejects with a ControlError for an unknown message. */
  rewind(messageId: string, options: RewindOptions): Promise<RewindFilesResult> {
    const { dryRun, anyBranch = false, namesFiles = false } = options;
    return this.#alone(async () => {
      const state = this.#tracked.stateAt(messageId, { anyBranch });
      if (!state) throw new ControlError(`There is no file checkpoint for the message ${messageId}`, 'no_checkpoint');
      await this.#options.policy().ready?.();
      const { roots, protectedPath: isProtected } = this.#options.policy();
      const bounds = { backups: this.#backups, roots, ownFiles: this.#tracked.ownFiles, isProtected };
      const plan = await planRewind(state, bounds);
      if (dryRun) {
        const filesChanged = plan.steps.map(({ path }) => path);
        return { canRewind: true, filesChanged, ...(await countLines(plan.steps)), ...errorOf(plan.problems) };
      }
      const { changed, problems } = await applyRewind(plan.steps, bounds);
      forgetSeen(this.#options.files, new Set(changed));
      const named = namesFiles ? { filesChanged: changed } : {};
      return { canRewind: true, ...named, ...errorOf([...plan.problems, ...problems]) };
    });
  }

  /** Removes the files that only this run needed. Never rejects. */
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

  /** Tracks changes only while a command runs in a turn: other changes may be the user's, and are not ours to undo. */
  async #look({ signal, changed }: { signal?: AbortSignal; changed?: ChangedText[] } = {}): Promise<void> {
    const areOurs = this.#commands.isBusy && this.#isTurnRunning;
    const forgetEnded = await this.#commands.ended(); // asked first: this look still has to find their last changes
    try {
      await this.#watch.look({
        isSaved: (path) => this.#tracked.isSettled(path),
        ...(areOurs && {
          take: async (changes) => {
            changed?.push(...(await changedTexts(changes)));
            await this.#tracked.take(changes);
          },
        }),
        ...(signal && { signal }),
      });
      forgetEnded();
    } catch (error) {
      if (error instanceof Aborted) throw error;
      this.#tracked.warnOfLoss(error); // the command has run, and its result counts
    }
  }
}

/** The commands that may be changing files right now. */
class RunningCommands {
  #count = 0;
  /** Processes that commands have left running: each function tells whether its process still is. */
  readonly #leftRunning = new Set<() => Promise<boolean>>();

  get isBusy(): boolean {
    return this.#count > 0 || this.#leftRunning.size > 0;
  }

  /** Runs a command, and then `look`. The command counts as running until `look` has found its changes. */
  async during(run: () => Promise<ProcessOutcome>, look: () => Promise<void>): Promise<ProcessOutcome> {
    this.#count++;
    try {
      const outcome = await run();
      if (outcome.stillRunning) this.#leftRunning.add(outcome.livesOn ?? (async () => true));
      return outcome;
    } finally {
      await look().finally(() => this.#count--);
    }
  }

  /** Finds the processes that have ended. Returns a function that removes them. */
  async ended(): Promise<() => void> {
    const ended: (() => Promise<boolean>)[] = [];
    for (const livesOn of this.#leftRunning) if (!(await livesOn())) ended.push(livesOn);
    return () => {
      for (const each of ended) this.#leftRunning.delete(each);
    };
  }
}

/** The model has to read a restored file again before it may edit it. */
function forgetSeen(files: FileStates, changed: ReadonlySet<string>): void {
  for (const path of [...files.keys()]) {
    if (changed.has(path) || changed.has(nodeRealPath(path) ?? path)) files.delete(path);
  }
}

function namesIn({ trackedFileBackups }: FileSnapshot): string[] {
  return Object.values(trackedFileBackups).flatMap(({ backupFileName }) => backupFileName ?? []);
}

/** The search program only reads, and a shell command is judged by its words. Any other program may change files. */
function mayChangeFiles({ command, args: [flag, line] }: ProcessSpec): boolean {
  const program = basename(command);
  if (program === 'rg') return false;
  return !(program === 'bash' && flag === '-c' && line !== undefined && isReadOnlyCommand(line));
}
