import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropLease, takeLease } from '../../sessions/stores/lease-file.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, isTexts, tryParseJson } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import { identityOf } from '../../util/process/process-identity.ts';
import { HeddleError } from '../../wire/errors.ts';
import { SCOPES, type TokenInfo, type Tokens } from '../ports/tokens.ts';

/** A token as it is stored: with the hash of its secret. */
interface StoredToken extends TokenInfo {
  sha256: string;
}

const MAX_BYTES = 1_000_000;

/** Tokens in a file that only the user may read. It is read again when it has changed, so that a command may change it. */
export function fileTokens(path: string, { now }: { now: () => number }): Tokens {
  const own = oneAtATime();
  const inTurn = <T>(work: () => Promise<T>) => own(() => underLease(path, work));
  let seen: string | null = null;
  let tokens: StoredToken[] = [];

  const current = (): StoredToken[] => {
    const text = smallText(path, MAX_BYTES);
    if (text === seen) return tokens;
    seen = text;
    const parsed = tryParseJson(text ?? '');
    tokens = isObject(parsed) && Array.isArray(parsed.tokens) ? parsed.tokens.filter(isToken) : [];
    return tokens;
  };
  const write = (all: readonly StoredToken[]) =>
    replacePrivateText(path, `${JSON.stringify({ tokens: all }, null, 2)}\n`);

  return {
    create: (token) =>
      inTurn(async () => {
        const id = randomBytes(6).toString('hex');
        const secret = `hdl_${id}_${randomBytes(32).toString('base64url')}`;
        const info: TokenInfo = { id, ...token, createdAt: now(), lastUsedAt: null };
        await write([...current(), { ...info, sha256: hashOf(secret) }]);
        return { info, secret };
      }),
    list: async (tenant) =>
      current()
        .filter((each) => each.tenant === tenant)
        .map(shown),
    revoke: (tenant, id) =>
      inTurn(async () => {
        const all = current();
        const rest = all.filter((each) => each.id !== id || each.tenant !== tenant);
        if (rest.length < all.length) await write(rest);
        return rest.length < all.length;
      }),
    async verify(secret) {
      const given = Buffer.from(hashOf(secret), 'hex');
      let found: StoredToken | null = null;
      // All of them, so that the time tells nothing.
      for (const token of current()) if (isSame(given, token.sha256)) found = token;
      if (!found || (found.expiresAt !== null && found.expiresAt <= now())) return null;
      return shown(found);
    },
  };
}

const WAIT_MS = 10_000;
const PAUSE_MS = 5;

/** A command and the server change the file at the same time: neither may write back what the other has revoked. */
async function underLease<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lease = `${path}.lock`;
  const token = randomBytes(12).toString('hex');
  const record = { ...identityOf(thisProcess()), since: new Date().toISOString(), token };
  const deadline = performance.now() + WAIT_MS;
  for (let holder = await takeLease(lease, record); holder; holder = await takeLease(lease, record)) {
    if (performance.now() > deadline) throw stillHeld(path, holder.pid);
    await sleep(PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    dropLease(lease, token);
  }
}

function stillHeld(path: string, pid: number): HeddleError {
  const message = `${path} is being changed by process ${pid}, which does not finish: end it, and try again`;
  return new HeddleError('storage_failed', message, { facts: { path, pid } });
}

/** What is no token is skipped: it lets nobody in, and keeps nobody out. */
function isToken(value: unknown): value is StoredToken {
  return isObject(value) && isTexts([value.id, value.tenant, value.sha256]) && isTexts(value.scopes);
}

function shown({ sha256: _, ...info }: StoredToken): TokenInfo {
  return info;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isSame(given: Buffer, sha256: string): boolean {
  const stored = Buffer.from(sha256, 'hex');
  return stored.length === given.length && timingSafeEqual(stored, given);
}

/** The tenant of a server without a database. */
export const LOCAL_TENANT = 'local';

/** Writes a token that may do everything to a file that only the user can read, when there is no token yet. */
export async function firstToken(tokens: Tokens, path: string): Promise<string> {
  const known = await tokens.list(LOCAL_TENANT);
  if (known.length > 0 && existsSync(path)) return path;
  if (known.some(({ name }) => name !== NAME)) return path;
  for (const { id } of known) await tokens.revoke(LOCAL_TENANT, id); // its file is gone: nobody has it any more
  const { secret } = await tokens.create({
    ...{ tenant: LOCAL_TENANT, name: NAME, scopes: [...SCOPES], sessionId: null, expiresAt: null },
  });
  await replacePrivateText(path, `${secret}\n`);
  return path;
}

const NAME = 'first admin token';
