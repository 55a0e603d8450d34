import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, tryParseJson } from '../../util/json.ts';
import { belongsToUser } from '../../util/process/private-folder.ts';
import { isGone, type ProcessIdentity } from '../../util/process/process-identity.ts';
import { namesIn } from '../files/session-folders.ts';

/**
 * A process wants to join a session: `<home>/locks/<session>.<pass>.join`, next to the lease of the session. Only the user
 * can write there. The pass opens the socket for this one host.
 */
export interface JoinRequest {
  sessionId: string;
  pass: string;
  role: 'drive' | 'watch';
  name: string;
  process: ProcessIdentity;
}

export function requestFolder(home: string): string {
  return join(home, 'locks');
}

export function writeRequest(home: string, request: JoinRequest): void {
  makeDirectory(requestFolder(home), 0o700);
  writeFileSync(requestFile(home, request), JSON.stringify(request), { mode: 0o600, flag: 'wx' });
}

export function removeRequest(home: string, request: Pick<JoinRequest, 'sessionId' | 'pass'>): void {
  rmSync(requestFile(home, request), { force: true });
  rmSync(refusalFile(home, request), { force: true });
}

/** The requests for a session that wait. Those whose sender has died are removed; files of other users do not count. */
export function waitingRequests(home: string, sessionId: string): JoinRequest[] {
  return namesIn(requestFolder(home)).flatMap((name) => {
    const [, ofSession, pass = ''] = NAME.exec(name) ?? [];
    if (ofSession !== sessionId) return [];
    const path = join(requestFolder(home), name);
    const request = isOwn(path) ? parsed(smallText(path, MAX_BYTES)) : null;
    if (request?.sessionId !== sessionId || request.pass !== pass) return [];
    if (isGone(request.process) !== true) return [request];
    removeRequest(home, request);
    return [];
  });
}

/** Whether the session has not decided yet: it removes the request when its sender may come in. */
export function isWaiting(home: string, request: JoinRequest): boolean {
  return existsSync(requestFile(home, request));
}

/** Tells the sender why it cannot join. */
export function refuseRequest(home: string, request: JoinRequest, reason: string): void {
  writeFileSync(refusalFile(home, request), reason, { mode: 0o600 });
  rmSync(requestFile(home, request), { force: true });
}

/** Why the request was refused; null as long as it was not. */
export function refusalOf(home: string, request: JoinRequest): string | null {
  const path = refusalFile(home, request);
  const reason = isOwn(path) ? smallText(path, MAX_BYTES) : null;
  return reason === '' ? null : reason; // being written
}

const NAME = /^([0-9a-f-]{36})\.([0-9a-f]{48})\.join$/;
const MAX_BYTES = 4096;

function requestFile(home: string, { sessionId, pass }: Pick<JoinRequest, 'sessionId' | 'pass'>): string {
  return join(requestFolder(home), `${sessionId}.${pass}.join`);
}

function refusalFile(home: string, { sessionId, pass }: Pick<JoinRequest, 'sessionId' | 'pass'>): string {
  return join(requestFolder(home), `${sessionId}.${pass}.refused`);
}

/** Whether it is a file of this user that no other could have written. */
function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && belongsToUser(stats) && (stats.mode & 0o022) === 0;
}

function parsed(text: string | null): JoinRequest | null {
  const value = text === null ? null : tryParseJson(text);
  if (!isObject(value) || !isObject(value.process)) return null;
  const { sessionId, pass, role, name, process: sender } = value;
  if (typeof sessionId !== 'string' || typeof pass !== 'string' || typeof name !== 'string') return null;
  if (role !== 'drive' && role !== 'watch') return null;
  if (typeof sender.pid !== 'number' || typeof sender.host !== 'string') return null;
  const details = [sender.space, sender.started].every((each) => each === undefined || typeof each === 'string');
  return details ? { sessionId, pass, role, name, process: sender as unknown as ProcessIdentity } : null;
}
