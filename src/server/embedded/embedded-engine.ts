import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { startTimer, within } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { InboxMessage, Posted, RunActivation, TurnEngine } from '../ports/turn-engine.ts';
import type { Epochs } from './epochs.ts';
import type { FileSessions } from './file-sessions.ts';
import type { WorkFiles } from './work-files.ts';

export interface EngineLimits {
  /** How many sessions are run at the same time. */
  running: number;
  /** How many messages of a session may wait. */
  waiting: number;
}

/** After a run that failed, the session waits this long, and twice as long after each further one. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

interface Run {
  lost: AbortController;
  /** A run was asked for meanwhile. */
  isWanted: boolean;
  ended: Promise<void>;
}

/** The turn engine of one process: a queue in memory, made again from the files when the process starts. */
export class EmbeddedEngine implements TurnEngine {
  readonly #work: WorkFiles;
  readonly #sessions: Pick<FileSessions, 'queued' | 'isAsking' | 'onReport'>;
  readonly #epochs: Epochs;
  readonly #limits: EngineLimits;
  readonly #log: Logger;
  readonly #drain = new AbortController();
  readonly #queue = new Set<string>();
  readonly #runs = new Map<string, Run>();
  readonly #failures = new Map<string, number>();
  readonly #pauses = new Map<string, ReturnType<typeof setTimeout>>();
  #run: RunActivation | null = null;

  constructor({
    work,
    sessions,
    epochs,
    limits,
    log,
  }: {
    work: WorkFiles;
    sessions: Pick<FileSessions, 'queued' | 'isAsking' | 'onReport'>;
    epochs: Epochs;
    limits: EngineLimits;
    log: Logger;
  }) {
    this.#work = work;
    this.#sessions = sessions;
    this.#epochs = epochs;
    this.#limits = limits;
    this.#log = log;
    sessions.onReport(() => this.#next());
  }

  get running(): number {
    return this.#runs.size;
  }

  /** A session that waits for a person takes nobody's place. */
  get #working(): number {
    return [...this.#runs.keys()].filter((sessionId) => !this.#sessions.isAsking(sessionId)).length;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async post(message: InboxMessage): Promise<Posted> {
    if (this.#drain.signal.aborted) throw draining();
    const posted = await this.#work.post(message, this.#limits.waiting);
    this.#want(message.sessionId);
    return posted;
  }

  async wake(sessionId: string): Promise<void> {
    this.#want(sessionId);
  }

  /** Sessions that were cut off by the end of the last process go on. */
  async start(run: RunActivation): Promise<void> {
    this.#run = run;
    for (const sessionId of this.#work.ids()) if (await this.#work.hasWork(sessionId)) this.#want(sessionId);
    this.#next();
  }

  async drain(graceMs: number): Promise<void> {
    this.#drain.abort();
    this.#queue.clear();
    for (const timer of this.#pauses.values()) clearTimeout(timer);
    const ended = () => Promise.all([...this.#runs.values()].map((run) => run.ended));
    if ((await within(graceMs, ended())) !== null) return;
    for (const { lost } of this.#runs.values()) lost.abort();
    await ended();
  }

  /** Ends the run of a session that is about to be removed. Resolves when it has ended. */
  async stop(sessionId: string): Promise<void> {
    this.#queue.delete(sessionId);
    const run = this.#runs.get(sessionId);
    if (!run) return;
    run.isWanted = false;
    run.lost.abort();
    await run.ended;
  }

  #want(sessionId: string): void {
    if (this.#drain.signal.aborted) return;
    const run = this.#runs.get(sessionId);
    if (run) {
      run.isWanted = true;
      return;
    }
    if (this.#pauses.has(sessionId)) return; // its pause ends in a run
    this.#queue.add(sessionId);
    this.#sessions.queued(sessionId);
    this.#next();
  }

  #next(): void {
    const { running } = this.#limits;
    while (this.#run && this.#working < running) {
      const [sessionId] = this.#queue;
      if (sessionId === undefined) return;
      this.#queue.delete(sessionId);
      this.#begin(sessionId, this.#run);
    }
  }

  #begin(sessionId: string, run: RunActivation): void {
    const lost = new AbortController();
    const raised = this.#epochs.raise(sessionId);
    const activation = { sessionId, ...raised, lost: lost.signal, drain: this.#drain.signal };
    const entry: Run = { lost, isWanted: false, ended: Promise.resolve() };
    this.#runs.set(sessionId, entry);
    entry.ended = Promise.resolve()
      .then(() => run(activation))
      .then(
        () => this.#failures.delete(sessionId),
        (error) => this.#failed(sessionId, error),
      )
      .then(() => this.#ended(sessionId, entry));
  }

  async #ended(sessionId: string, { isWanted, lost }: Run): Promise<void> {
    const isLeft = await this.#work.hasWork(sessionId).catch(() => true);
    this.#runs.delete(sessionId);
    const failures = this.#failures.get(sessionId) ?? 0;
    if (lost.signal.aborted || this.#drain.signal.aborted) return this.#next();
    if (failures > 0 && isLeft) this.#pause(sessionId, failures);
    else if (isWanted || isLeft) this.#want(sessionId);
    this.#next();
  }

  #failed(sessionId: string, error: unknown): void {
    this.#failures.set(sessionId, (this.#failures.get(sessionId) ?? 0) + 1);
    this.#log('error', `Session ${sessionId} could not be run: ${messageOf(error)}`);
  }

  #pause(sessionId: string, failures: number): void {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    const timer = startTimer(ms, () => {
      this.#pauses.delete(sessionId);
      this.#want(sessionId);
    });
    this.#pauses.set(sessionId, timer);
  }
}

function draining(): HeddleError {
  const message = 'The server is about to end: send it again in a moment';
  return new HeddleError('draining', message, { facts: { retryAfterMs: 1000 } });
}
