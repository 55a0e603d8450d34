import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { homeUnwritable } from '../../sessions/storage-errors.ts';
import { dropLease, isLeft, readLease, takeLease, touchLease } from '../../sessions/stores/lease-file.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf } from '../../util/process/process-identity.ts';
import { HeddleError } from '../../wire/errors.ts';

const HEARTBEAT_MS = 30_000;
const MAX_BYTES = 4096;

/** Where the server of a home listens. */
export interface ServerAddress {
  url: string;
  pid: number;
}

export interface ServeLock {
  /** Lets others find the server. */
  announce(url: string): Promise<void>;
  release(): void;
}

export const serveFolder = (home: string): string => join(home, 'serve');

/** One server per home: two would answer the same messages. Rejects with `server_running`. */
export async function takeServeLock(home: string): Promise<ServeLock> {
  const path = join(serveFolder(home), 'serve.lock');
  const address = join(serveFolder(home), 'address.json');
  const token = randomBytes(12).toString('hex');
  const record = { ...identityOf(thisProcess()), since: new Date().toISOString(), token };
  const other = await takeLease(path, record).catch((error) => {
    throw homeUnwritable(home, error);
  });
  if (other !== null) throw serverRunning(home, other);
  const heartbeat = setInterval(() => touchQuietly(path), HEARTBEAT_MS).unref();
  return {
    announce: (url) => replacePrivateText(address, `${JSON.stringify({ url, pid: record.pid })}\n`),
    release() {
      clearInterval(heartbeat);
      rmSync(address, { force: true });
      dropLease(path, token);
    },
  };
}

/** The server that runs on a home; null: none does. */
export function runningServer(home: string): ServerAddress | null {
  const found = readLease(join(serveFolder(home), 'serve.lock'));
  if (!found || isLeft(found)) return null;
  const said = tryParseJson(smallText(join(serveFolder(home), 'address.json'), MAX_BYTES) ?? '');
  const url = stringField(said, 'url');
  return url !== undefined && isObject(said) && said.pid === found.record.pid ? { url, pid: found.record.pid } : null;
}

function touchQuietly(path: string): void {
  try {
    touchLease(path);
  } catch {
    // The next beat tries again.
  }
}

function serverRunning(home: string, { pid, host, since }: { pid: number; host: string; since: string }): HeddleError {
  const url = runningServer(home)?.url ?? null;
  const message =
    `A server of ${home} runs already: process ${pid} on ${host}, since ${since}${url === null ? '' : `, at ${url}`}. ` +
    'Use that one, end it, or choose another home with HEDDLE_HOME.';
  return new HeddleError('server_running', message, { facts: { pid, host, since, url } });
}
