import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type CheckpointOptions,
  type Checkpoints,
  openCheckpoints,
} from '../../../src/host/checkpoints/checkpoints.ts';
import { protectedPaths } from '../../../src/permissions/paths.ts';
import type { FileSnapshot } from '../../../src/sessions/tree/checkpoint-entries.ts';
import type { FileStates } from '../../../src/tools/file-states.ts';
import { createLocalWorkspace } from '../../../src/tools/workspace/local-workspace.ts';
import { createProcesses, type ProcessOutcome } from '../../../src/util/process/process.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { afterTest } from '../../support/after-test.ts';
import { tempDir } from '../support.ts';

/** A project on disk, and the checkpoints of a session in it. */
export class CheckpointRig {
  readonly base = tempDir();
  readonly cwd = join(this.base, 'work');
  readonly home = join(this.base, 'home');
  readonly roots = [this.cwd];
  readonly seen: FileStates = new Map();
  readonly warnings: string[] = [];
  /** What the session's file holds. */
  entries: Entry[] = [];
  /** What the store does instead of storing. */
  storeFails: Error | null = null;
  readonly #processes = createProcesses({ log: () => {}, graceMs: 100 });
  #answers = 0;

  constructor() {
    mkdirSync(this.cwd);
    afterTest(() => this.#processes.close());
  }

  /** A run of the session; a second one finds what the first has left. */
  open(options: Partial<CheckpointOptions> = {}): Promise<Checkpoints> {
    const isProtected = protectedPaths({ configHome: this.home });
    const messages = this.entries.flatMap(({ messageId }) => String(messageId));
    return openCheckpoints({
      runtime: {
        clock: { now: () => Date.now(), sleep: async () => {} },
        ids: { uuid: () => crypto.randomUUID() },
        log: (_level, message) => this.warnings.push(message),
      },
      workspace: createLocalWorkspace({ cwd: this.cwd, home: this.base, processes: this.#processes }),
      files: this.seen,
      home: this.home,
      sessionId: 'session',
      stored: this.entries.length > 0 ? { sessionId: 'session', entries: this.entries, messages } : null,
      record: (snapshot) => this.#store(snapshot, `answer${++this.#answers}`),
      append: async (entries) => void this.entries.push(...entries),
      policy: () => ({ roots: this.roots, protectedPath: isProtected }),
      ...options,
    });
  }

  /** The user sends a message. */
  async prompt(checkpoints: Checkpoints, uuid: string): Promise<void> {
    await this.#store(await checkpoints.begin(uuid), uuid);
  }

  async #store(snapshot: FileSnapshot, messageId: string): Promise<void> {
    if (this.storeFails) throw this.storeFails;
    const isSnapshotUpdate = messageId !== snapshot.messageId;
    this.entries.push({
      type: 'file-history-snapshot',
      messageId,
      snapshot: structuredClone(snapshot),
      isSnapshotUpdate,
    });
  }

  path(name: string): string {
    return join(this.cwd, name);
  }

  write(name: string, content: string): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** Every file of the project with its content. */
  files(): Record<string, string> {
    const names = readdirSync(this.cwd, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      names.sort().map((name) => [name.slice(this.cwd.length + 1), readFileSync(name, 'utf8')]),
    );
  }

  /** The names in the session's folder of copies. */
  kept(session = 'session'): string[] {
    const folder = join(this.home, 'file-history', session);
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  /** The files of the latest snapshot. */
  backups(): FileSnapshot['trackedFileBackups'] {
    const snapshot = this.entries.at(-1)?.snapshot as FileSnapshot | undefined;
    return snapshot?.trackedFileBackups ?? {};
  }

  /** The files of the latest snapshot, with their versions; 0 for one that did not exist. */
  tracked(): Record<string, number> {
    const files = Object.entries(this.backups());
    return Object.fromEntries(files.map(([key, backup]) => [key, backup.backupFileName === null ? 0 : backup.version]));
  }
}

export async function shell(
  { workspace }: Checkpoints,
  command: string,
  signal = new AbortController().signal,
): Promise<ProcessOutcome> {
  const spec = { command: '/bin/bash', args: ['-c', command], cwd: workspace.cwd, env: { PATH: process.env.PATH } };
  return workspace.exec(spec, signal);
}

/** A rig with these files and a turn that has begun. */
export async function begun(files: Record<string, string>, options: Parameters<CheckpointRig['open']>[0] = {}) {
  const rig = new CheckpointRig();
  for (const [name, content] of Object.entries(files)) rig.write(name, content);
  const checkpoints = await rig.open(options);
  await rig.prompt(checkpoints, 'u1');
  return { rig, checkpoints };
}
