import type { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { within } from '../../util/timer.ts';
import type { RpcRequest } from '../../wire/link/json-rpc.ts';
import type { McpLink } from '../client.ts';
import { MAX_UNSENT } from '../limits.ts';
import { McpNeedsAuth, McpNeedsScope } from '../needs-auth.ts';
import { PendingRequests } from '../pending-requests.ts';
import { boundEvents } from './bound-events.ts';
import type { FetchLike } from './fetch-like.ts';
import { remoteRequests } from './remote-requests.ts';
import { watchAnswers } from './watch-answers.ts';

export interface RemoteLinkOptions {
  /** The official package, which is loaded late. */
  mcp: Pick<typeof import('../mcp-package.ts'), 'SSEClientTransport' | 'StreamableHTTPClientTransport'>;
  serverName: string;
  type: 'http' | 'sse';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sends the requests; rejects with McpNeedsAuth where the user has to sign in. */
  fetch: FetchLike;
  log: Logger;
  /** Takes a message that the server sends on its own; resolves with the response, if there is one. */
  receive(message: JsonObject): Promise<JsonObject | null>;
  /** The connection is lost for good. Not called once `close` was called. */
  onLost(reason: Error): void;
  /** The limit for one event of the stream on which the server sends its own messages. */
  maxBytes?: number;
}

/** How long closing waits while it tells the server that the session ends. */
const GOODBYE_MS = 1000;
/** How often, and after how long, a broken stream is resumed. */
const RESUMING = {
  maxRetries: 3,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
};

/**
 * Reaches a server over the network: streamable HTTP, with its sessions and resumable streams, or the older SSE. The
 * official package implements the protocol; this file decides when a connection counts as lost.
 */
export function remoteLink(options: RemoteLinkOptions): McpLink {
  const { mcp, serverName, type, log, receive } = options;
  const pending = new PendingRequests();
  let starting: Promise<void> | null = null;
  let isOpen = false;
  let isOver = false;
  /** The number of answers to the server's requests that are being sent. */
  let unsent = 0;
  /** The streams of the package do not pass on the reason of a failed sign-in. */
  let needsAuth: McpNeedsAuth | null = null;
  const requests = remoteRequests(options.fetch);
  const fetch: FetchLike = async (url, init) => {
    try {
      const response = checked(await requests(url, init));
      return init?.method === 'POST' ? response : boundEvents(response, lose, options.maxBytes);
    } catch (error) {
      // A wider scope concerns one request; the connection stays good.
      if (error instanceof McpNeedsAuth && !(isOpen && error instanceof McpNeedsScope)) needsAuth = error;
      throw error;
    }
  };
  const transport = makeTransport(options, fetch, pending);

  transport.onmessage = (message: JSONRPCMessage) => {
    if (!('method' in message)) pending.settle(message as JsonObject);
    else answer(message as JsonObject).catch(note);
  };
  transport.onerror = (error) => {
    note(error);
    // The older transport starts a new session by itself, without `initialize`.
    if (isOpen && (type === 'sse' || isGivenUp(error))) lose(error);
  };

  function note(error: unknown): void {
    log('debug', `MCP server ${serverName}: ${messageOf(error)}`);
  }

  function lose(error: unknown): void {
    if (isOver) return;
    isOver = true;
    const reason = reasonOf(error, needsAuth);
    pending.failAll(reason);
    options.onLost(reason);
  }

  async function answer(message: JsonObject): Promise<void> {
    const response = await receive(message);
    if (response === null) return;
    if (unsent >= MAX_UNSENT) {
      lose(new Error(`it asks without taking the answers: ${MAX_UNSENT} of them wait for it`));
      return;
    }
    unsent++;
    await send(response).finally(() => unsent--);
  }

  async function send(message: object): Promise<void> {
    starting ??= transport.start();
    try {
      await starting;
      await transport.send(message as JSONRPCMessage);
    } catch (error) {
      const reason = reasonOf(error, needsAuth);
      if (isOpen && isEndOfSession(error)) lose(error);
      throw reason;
    }
  }

  async function ask(message: RpcRequest, signal: AbortSignal): Promise<JsonObject> {
    const response = pending.wait(message.id, signal);
    send(message).catch((error) => pending.fail(message.id, error));
    return response;
  }

  return {
    async request(message, signal) {
      const response = await ask(message, signal);
      if (message.method === 'initialize') {
        isOpen = true;
        const version = stringField(response.result, 'protocolVersion');
        if (version !== undefined) transport.setProtocolVersion(version);
      }
      return response;
    },
    notify: send,
    async close() {
      const wasOver = isOver;
      isOver = true;
      pending.failAll(new Error('it was disconnected'));
      if (isOpen && !wasOver && transport instanceof mcp.StreamableHTTPClientTransport) {
        await within(GOODBYE_MS, transport.terminateSession().catch(note));
      }
      await transport.close().catch(note);
    },
  };
}

function makeTransport(
  options: RemoteLinkOptions,
  fetch: FetchLike,
  pending: PendingRequests,
): SSEClientTransport | StreamableHTTPClientTransport {
  const url = new URL(options.url);
  const requestInit = { headers: { ...options.headers } };
  if (options.type === 'sse') return new options.mcp.SSEClientTransport(url, { fetch, requestInit });
  return new options.mcp.StreamableHTTPClientTransport(url, {
    fetch: watchAnswers(fetch, pending),
    requestInit,
    reconnectionOptions: RESUMING,
  });
}

/** A 401 that no sign-in can resolve: the status alone decides, whatever the package makes of it. */
function checked(response: Response): Response {
  if (response.status === 401) throw new McpNeedsAuth('it asks for a sign-in or another key (401)');
  return response;
}

/** Recognizes the package's message that it no longer resumes a broken stream. */
function isGivenUp(error: Error): boolean {
  return error.message.startsWith('Maximum reconnection attempts');
}

/** The server no longer knows this session, or no longer exists. */
function isEndOfSession(error: unknown): boolean {
  if (error instanceof McpNeedsAuth) return !(error instanceof McpNeedsScope);
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: unknown };
  return code === 404 || error.message === 'fetch failed' || (typeof code === 'string' && NO_CONNECTION.test(code));
}

const NO_CONNECTION = /^(ECONN|EPIPE|ENOTFOUND|EHOST|ENET|ETIMEDOUT|UND_ERR)/;

function reasonOf(error: unknown, needsAuth: McpNeedsAuth | null): Error {
  if (error instanceof McpNeedsScope) return error;
  return needsAuth ?? new Error(withCause(error), { cause: error });
}

/** `fetch failed` alone does not help the user. */
function withCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
}
