import * as z from 'zod/mini';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import { SCOPES, type TokenInfo, type Tokens } from '../ports/tokens.ts';
import { SessionId, Token, timeText } from './schemas.ts';

const NewToken = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(100)),
  scopes: z.array(z.enum(SCOPES)).check(z.minLength(1)),
  session_id: z.optional(SessionId),
  expires_in_seconds: z.optional(z.number().check(z.int(), z.minimum(1))),
});

/** Tokens: made, listed, revoked. */
export function tokenRoutes({ tokens, now }: { tokens: Tokens; now: () => number }): Route[] {
  return [
    route({
      ...{ method: 'POST', path: '/v1/tokens', scope: 'admin', body: NewToken, errors: [] },
      summary: 'Makes a token. Its secret is answered once and stored nowhere',
      answers: { 201: { description: 'The token', schema: z.extend(Token, { token: z.string() }) } },
      async handle({ body: { name, scopes, session_id: sessionId = null, expires_in_seconds: seconds }, ...call }) {
        const { tenant } = tokenOf(call);
        const expiresAt = seconds === undefined ? null : now() + seconds * 1000;
        const { info, secret } = await tokens.create({ tenant, name, scopes, sessionId, expiresAt });
        return { status: 201, body: { ...shownToken(info), token: secret } };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/tokens', scope: 'admin', errors: [] },
      summary: 'The tokens, without their secrets',
      answers: { 200: { description: 'The tokens', schema: z.object({ tokens: z.array(Token) }) } },
      handle: async (call) => ({ body: { tokens: (await tokens.list(tokenOf(call).tenant)).map(shownToken) } }),
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/tokens/{token}', scope: 'admin', errors: ['not_found'] },
      summary: 'Revokes a token, at once',
      params: z.object({ token: z.string().check(z.regex(/^[0-9a-f]{1,64}$/)) }),
      answers: { 204: { description: 'It is revoked' } },
      async handle({ params, ...call }) {
        if (await tokens.revoke(tokenOf(call).tenant, params.token)) return { status: 204, body: null };
        throw new HeddleError('not_found', `There is no token ${params.token}: GET /v1/tokens lists them`);
      },
    }),
  ];
}

export function shownToken({ id, name, scopes, sessionId, expiresAt, createdAt }: TokenInfo): z.infer<typeof Token> {
  return {
    ...{ id, name, scopes, session_id: sessionId },
    expires_at: expiresAt === null ? null : timeText(expiresAt),
    created_at: timeText(createdAt),
  };
}
