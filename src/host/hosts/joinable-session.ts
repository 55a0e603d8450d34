import { type FSWatcher, watch } from 'node:fs';
import {
  type JoinRequest,
  refuseRequest,
  removeRequest,
  requestFolder,
  waitingRequests,
} from '../../sessions/running/join-request.ts';
import {
  ATTACH_VERSION,
  type RunState,
  removeLeftRuns,
  removeRunRecord,
  runFolder,
  socketFile,
  writeRunRecord,
} from '../../sessions/running/run-record.ts';
import { seenLeases } from '../../sessions/stores/list-leases.ts';
import { messageOf } from '../../util/message-of.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { descendantsOf } from '../../util/process/process-descendants.ts';
import type { Logger } from '../../util/runtime.ts';
import { startTimer } from '../../util/timer.ts';
import { ControlError } from '../../wire/errors.ts';
import type { Transport } from '../../wire/link/transport.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import type { HostHub } from './host-hub.ts';
import type { Joining } from './join-hub.ts';
import { listenForHosts, type SessionSocket } from './session-socket.ts';

/** Who may join: `ask`: its terminal is asked, and without a terminal the user is let in; `own`: the user; `never`: nobody. */
export type AttachPolicy = 'ask' | 'own' | 'never';

export interface JoinableOptions {
  hub: HostHub;
  home: string;
  sessionId: string;
  cwd: string;
  policy: () => Promise<AttachPolicy>;
  log: Logger;
  /** Milliseconds that the socket stays open with nobody attached. */
  lingerMs?: number;
  /** Milliseconds that the terminal has for its answer. */
  askMs?: number;
}

export interface JoinableSession {
  /** Resolves when others can find the session, or cannot for good. */
  readonly found: Promise<unknown>;
  /** Never rejects. */
  close(): Promise<void>;
}

const LINGER_MS = 10_000;
const ASK_MS = 30_000;

/**
 * Lets other processes of the user find a session and join it. Nothing listens until a request lies next to the lease;
 * then a socket is open as long as a host is attached, and for a moment after that. Nothing here rejects: a session
 * that cannot be joined is said to be so in the log.
 */
export function openToOthers(options: JoinableOptions): JoinableSession {
  const { hub, home, sessionId, cwd, log } = options;
  const { lingerMs = LINGER_MS, askMs = ASK_MS } = options;
  const door = new Door(options, lingerMs);
  const known = new Set<string>();
  const inTurn = oneAtATime();
  let noted = '';
  let isClosed = false;
  let found: Promise<unknown> = Promise.resolve();

  const note = () => {
    const state: RunState = hub.openQuestions > 0 ? 'asking' : hub.activity.isBusy ? 'busy' : 'idle';
    const terminal = hub.hosts.some((host) => host.isAwaited);
    const about = { state, terminal, hosts: hub.hosts.length };
    if (isClosed || JSON.stringify(about) === noted) return;
    noted = JSON.stringify(about);
    const versions = { heddle_version: HEDDLE_VERSION, attach_version: ATTACH_VERSION };
    const record = { session_id: sessionId, pid: thisProcess().pid, cwd, ...about, ...versions };
    found = inTurn(async () => {
      if (!isClosed) await writeRunRecord(home, record);
    }).catch((error) => log('debug', `Others cannot see the state of this session: ${messageOf(error)}`));
  };

  async function decide(request: JoinRequest): Promise<void> {
    const refusal = await whyNot(request, { hub, policy: await options.policy(), askMs });
    if (isClosed) return;
    if (refusal !== null) return refuseRequest(home, request, refusal);
    await door.open(request);
  }

  const look = () => {
    for (const request of waitingRequests(home, sessionId)) {
      if (known.has(request.pass)) continue;
      known.add(request.pass);
      decide(request).catch((error) => {
        log('warn', `Nobody can join this session: ${messageOf(error)}`);
        refuseRequest(home, request, `The session cannot be joined: ${messageOf(error)}`);
      });
    }
  };

  let watcher: FSWatcher | null = null;
  try {
    removeLeftRuns(
      home,
      (id) => id === sessionId || seenLeases(home).some((lease) => lease.sessionId === id && !lease.isLeft),
    );
    watcher = watch(requestFolder(home), { persistent: false }, (_event, name) => {
      if (name === null || name.startsWith(sessionId)) look();
    });
    watcher.on('error', () => watcher?.close());
    hub.on('attached', () => {
      note();
      door.settle();
    });
    hub.on('activity', note);
    note();
    look();
  } catch (error) {
    log('debug', `Others cannot join this session: ${messageOf(error)}`);
  }
  return {
    found,
    close() {
      isClosed = true;
      watcher?.close();
      door.close();
      return inTurn(async () => removeRunRecord(home, sessionId)).catch(() => {});
    },
  };
}

/** Null: the request may come in. */
async function whyNot(
  request: JoinRequest,
  { hub, policy, askMs }: { hub: HostHub; policy: AttachPolicy; askMs: number },
): Promise<string | null> {
  const { pid, host } = request.process;
  if (descendantsOf(thisProcess().pid).some((each) => each.pid === pid)) {
    return 'A command of the session itself cannot join it';
  }
  if (policy === 'never') return 'Its settings let nobody join (terminal.attach is "never")';
  if (policy === 'own' || !hub.hosts.some((each) => each.isAwaited && each.drives)) return null;
  const wants = request.role === 'watch' ? 'watch this session' : 'join this session, and prompt and answer in it';
  const message = `${request.name || `Process ${pid} on ${host}`} wants to ${wants}. Let it in?`;
  const answer = await hub.askOwner(message, askMs);
  if (answer === 'accept') return null;
  if (answer === null) {
    const seconds = Math.round(askMs / 1000);
    return `Its terminal has not answered within ${seconds} s; with the setting terminal.attach "own" it is not asked`;
  }
  return 'Its terminal has refused';
}

/** The socket, as long as it is needed. */
class Door {
  readonly #options: JoinableOptions;
  readonly #lingerMs: number;
  /** What each pass allows. */
  readonly #passes = new Map<string, JoinRequest>();
  #socket: Promise<SessionSocket> | null = null;
  #connections = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: JoinableOptions, lingerMs: number) {
    this.#options = options;
    this.#lingerMs = lingerMs;
  }

  /** The sender of this request may come in. */
  async open(request: JoinRequest): Promise<void> {
    const { home, sessionId } = this.#options;
    this.#passes.set(request.pass, request);
    const name = socketFile(home, sessionId).slice(runFolder(home).length + 1);
    this.#socket ??= listenForHosts(runFolder(home), name, (transport) => this.#serve(transport));
    this.settle();
    try {
      await this.#socket;
      removeRequest(home, request); // its sender may come in now
    } catch (error) {
      this.#socket = null;
      throw error;
    }
  }

  /** Closes the socket in a moment, when nobody is there. */
  settle(): void {
    clearTimeout(this.#timer);
    if (this.#socket && this.#connections === 0) this.#timer = startTimer(this.#lingerMs, () => this.close());
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#passes.clear();
    this.#socket?.then((socket) => socket.close()).catch(() => {});
    this.#socket = null;
  }

  async #serve(transport: Transport): Promise<void> {
    this.#connections++;
    this.settle();
    try {
      await this.#options.hub.join(transport, { admit: (joining) => this.#admit(joining) });
    } finally {
      this.#connections--;
      this.settle();
    }
  }

  /** A pass is for one host, with the role that was asked for. */
  #admit(joining: Joining): Joining {
    const request = this.#passes.get(joining.pass ?? '');
    if (!request) throw new ControlError('The session has not let this host in', 'not_admitted');
    this.#passes.delete(request.pass);
    return { ...joining, role: request.role, name: request.name };
  }
}
