import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import type { Scope, Tokens } from '../ports/tokens.ts';

const CODE_MS = 2 * 60_000;
const TOKEN_MS = 24 * 3_600_000;
const MAX_CODES = 20;
const NAME = 'page';

const READ: readonly Scope[] = ['home:read', 'sessions:read'];
const WRITE: readonly Scope[] = [...READ, 'home:write', 'sessions:write', 'questions:answer'];

interface Code {
  tenant: string;
  isReadOnly: boolean;
  expiresAt: number;
}

export interface PageCodesOptions {
  tokens: Tokens;
  now: () => number;
  /** No page of this server may change anything. */
  isReadOnly: boolean;
}

/**
 * A page is opened with a code in the fragment of its address, which no server and no log sees. The page trades it, once,
 * for a token of a day; the code is worthless then.
 */
export function pageCodeRoutes({ tokens, now, isReadOnly }: PageCodesOptions): Route[] {
  const codes = new Map<string, Code>();
  return [
    route({
      ...{ method: 'POST', path: '/v1/page-codes', scope: 'admin', errors: [], isBodyOptional: true },
      summary: 'Makes a code with which a page is opened once',
      body: z.strictObject({ read_only: z._default(z.boolean(), false) }),
      answers: { 201: { description: 'The code', schema: z.object({ code: z.string(), expires_at: z.number() }) } },
      async handle({ body, ...call }) {
        const code = randomBytes(24).toString('base64url');
        const expiresAt = now() + CODE_MS;
        const { tenant } = tokenOf(call);
        codes.set(hashOf(code), { tenant, isReadOnly: isReadOnly || body?.read_only === true, expiresAt });
        for (const old of [...codes.keys()].slice(0, -MAX_CODES)) codes.delete(old);
        return { status: 201, body: { code, expires_at: expiresAt } };
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/page-tokens', scope: 'none', errors: ['not_authenticated'] },
      summary: 'Trades a code for a token',
      body: z.strictObject({ code: z.string().check(z.maxLength(100)) }),
      answers: { 201: { description: 'The token', schema: z.object({ token: z.string(), read_only: z.boolean() }) } },
      async handle({ body: { code } }) {
        // Looked up by its hash: the time tells nothing of the codes that there are.
        const key = hashOf(code);
        const found = codes.get(key);
        codes.delete(key);
        if (!found || found.expiresAt <= now()) throw usedUp();
        await removeExpired(tokens, found.tenant, now());
        const scopes = [...(found.isReadOnly ? READ : WRITE)];
        const { secret } = await tokens.create({
          ...{ tenant: found.tenant, name: NAME, scopes, sessionId: null, expiresAt: now() + TOKEN_MS },
        });
        return { status: 201, body: { token: secret, read_only: found.isReadOnly } };
      },
    }),
  ];
}

async function removeExpired(tokens: Tokens, tenant: string, now: number): Promise<void> {
  for (const { id, name, expiresAt } of await tokens.list(tenant)) {
    if (name === NAME && expiresAt !== null && expiresAt <= now) await tokens.revoke(tenant, id);
  }
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

function usedUp(): HeddleError {
  return new HeddleError('not_authenticated', 'The code was used or is too old: heddle web opens the page again');
}
