import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod/mini';
import type { ErrorCode } from '../../wire/errors.ts';
import type { Scope, TokenInfo } from '../ports/tokens.ts';

export type AnySchema = z.ZodMiniType;
type Parsed<S> = S extends AnySchema ? z.output<S> : undefined;

/** A request that was let in, with what its schemas have read. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** Null only at routes without a token. */
  token: TokenInfo | null;
  headers: Readonly<Record<string, string | undefined>>;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
  requestId: string;
}

/** What a route answers: a body as JSON, a text of another type, or a stream that it writes itself. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  | { status?: number; headers?: Record<string, string>; text: string; type: string }
  | { stream: (request: IncomingMessage, response: ServerResponse) => void };

export interface AnswerShape {
  description: string;
  schema?: AnySchema;
  /** Default: `application/json`. */
  type?: string;
}

/**
 * One route of the server. The table of all routes is the router, the checks of requests, and the OpenAPI document; other
 * parts of the server add rows to it.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With parameters in braces: `/v1/sessions/{id}`. */
  path: string;
  summary: string;
  /** What the token must allow; `token`: any token; `none`: no token is needed, and nothing of anybody is answered. */
  scope: Scope | 'token' | 'none';
  params?: AnySchema;
  query?: AnySchema;
  /** A request with a body must say `content-type: application/json`. */
  body?: AnySchema;
  /** Whether the body may be left out. */
  isBodyOptional?: boolean;
  answers: Readonly<Record<number, AnswerShape>>;
  /** The codes that it may answer besides those of every route. */
  errors: readonly ErrorCode[];
  handle(call: Call): Promise<Answer>;
}

interface Typed<P, Q, B> extends Omit<Route, 'handle' | 'params' | 'query' | 'body'> {
  params?: P;
  query?: Q;
  body?: B;
  handle(call: Call<Parsed<P>, Parsed<Q>, Parsed<B>>): Promise<Answer>;
}

/** A row whose handler gets what the schemas of the row say. */
export function route<
  const P extends AnySchema | undefined = undefined,
  const Q extends AnySchema | undefined = undefined,
  const B extends AnySchema | undefined = undefined,
>(row: Typed<P, Q, B>): Route {
  return row as unknown as Route;
}

/** The token of a call at a route that needs one. */
export function tokenOf({ token }: Pick<Call, 'token'>): TokenInfo {
  if (!token) throw new Error('The route needs no token');
  return token;
}
