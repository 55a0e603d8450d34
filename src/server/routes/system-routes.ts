import * as z from 'zod/mini';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import { openApi } from '../http/openapi.ts';
import { type Route, route } from '../http/route.ts';

export interface SystemRoutesOptions {
  /** All routes, those of this file included. */
  all: () => readonly Route[];
  /** Why requests cannot be served now; null: they can. */
  problem: () => Promise<string | null>;
  /** What the server can do, for clients. */
  capabilities: readonly string[];
}

/** Health, the OpenAPI document, and what the server is. */
export function systemRoutes({ all, problem, capabilities }: SystemRoutesOptions): Route[] {
  return [
    route({
      ...{ method: 'GET', path: '/healthz', scope: 'none', errors: [] },
      summary: 'Whether the process answers. Says nothing else',
      answers: { 204: { description: 'It does' } },
      handle: async () => ({ status: 204, body: null }),
    }),
    route({
      ...{ method: 'GET', path: '/readyz', scope: 'none', errors: ['draining'] },
      summary: 'Whether requests can be served now. Says nothing else',
      answers: { 204: { description: 'They can' } },
      async handle() {
        if ((await problem()) === null) return { status: 204, body: null };
        throw new HeddleError('draining', 'The server cannot serve requests now', { facts: { retryAfterMs: 1000 } });
      },
    }),
    route({
      ...{ method: 'GET', path: '/openapi.json', scope: 'token', errors: [] },
      summary: 'This document',
      answers: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
      handle: async () => ({ body: openApi(all(), HEDDLE_VERSION) }),
    }),
    route({
      ...{ method: 'GET', path: '/v1/info', scope: 'token', errors: [] },
      summary: 'Version and capabilities of the server, and what is wrong with it',
      answers: { 200: { description: 'About the server', schema: Info } },
      handle: async (): Promise<{ body: JsonObject }> => ({
        body: { heddle_version: HEDDLE_VERSION, api: 'v1', capabilities: [...capabilities], problem: await problem() },
      }),
    }),
  ];
}

const Info = z.object({
  heddle_version: z.string(),
  api: z.literal('v1'),
  capabilities: z.array(z.string()),
  problem: z.nullable(z.string()),
});
