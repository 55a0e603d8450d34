import { randomBytes } from 'node:crypto';
import { lstatSync, watch } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { transportOf } from '../../host/hosts/session-socket.ts';
import {
  isWaiting,
  type JoinRequest,
  refusalOf,
  removeRequest,
  requestFolder,
  writeRequest,
} from '../../sessions/running/join-request.ts';
import { runFolder, socketFile } from '../../sessions/running/run-record.ts';
import { belongsToUser, privateFolder, socketPath } from '../../util/process/private-folder.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf, isGone } from '../../util/process/process-identity.ts';
import { startTimer } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { RunningSession } from './running-sessions.ts';

export interface JoinOptions {
  home: string;
  role: JoinRequest['role'];
  /** What the session tells others about this host. */
  name: string;
  /** How long the process of the session may take to answer. */
  patienceMs: number;
}

/** A way into a session, and what `attach` must show there. */
export interface Entrance {
  transport: Transport;
  pass: string;
}

/**
 * Asks the process of a session to let this one in, and connects to the socket that it opens. Rejects with
 * `cannot_attach`: refused, gone, silent.
 */
export async function joinSession(session: RunningSession, options: JoinOptions): Promise<Entrance> {
  const { home, role, name, patienceMs } = options;
  const { sessionId } = session;
  const pass = randomBytes(24).toString('hex');
  const request: JoinRequest = { sessionId, pass, role, name, process: identityOf(thisProcess()) };
  try {
    writeRequest(home, request);
    await answerTo(session, request, home, patienceMs);
    return { transport: transportOf(await connected(home, sessionId)), pass };
  } catch (error) {
    removeRequest(home, request);
    throw error;
  }
}

/** Resolves when the session has let this process in. */
function answerTo(session: RunningSession, request: JoinRequest, home: string, ms: number): Promise<void> {
  const { sessionId, pid, host } = session;
  return new Promise((resolve, reject) => {
    const settle = (problem: string | null) => {
      clearTimeout(timer);
      clearInterval(looking);
      watcher.close();
      if (problem === null) resolve();
      else reject(cannotAttach(sessionId, problem));
    };
    const look = () => {
      const refusal = refusalOf(home, request);
      if (refusal !== null) settle(refusal);
      else if (!isWaiting(home, request)) settle(null);
      else if (isGone({ pid, host }) === true) settle(`Process ${pid}, which had it, has ended`);
    };
    const watcher = watch(requestFolder(home), { persistent: false }, look);
    watcher.on('error', () => watcher.close()); // looking from time to time is enough
    const looking = setInterval(look, LOOK_MS);
    const silent = `Process ${pid}, which has it, has not answered within ${Math.round(ms / 1000)} s`;
    const timer = startTimer(ms, () => settle(silent));
    look();
  });
}

const LOOK_MS = 250;

async function connected(home: string, sessionId: string): Promise<Socket> {
  privateFolder(runFolder(home));
  const { path, release } = socketPath(runFolder(home), `${sessionId}.sock`);
  const stats = lstatSync(socketFile(home, sessionId));
  if (!belongsToUser(stats)) throw cannotAttach(sessionId, 'Its socket belongs to another user');
  const socket = connect(path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return socket;
  } catch (error) {
    throw cannotAttach(sessionId, `Its socket does not answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    release();
  }
}

export function cannotAttach(sessionId: string, problem: string): HeddleError {
  const facts = { sessionId };
  return new HeddleError('cannot_attach', `Session ${sessionId} cannot be joined. ${problem}.`, { facts });
}
