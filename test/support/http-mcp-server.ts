import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A call that has arrived. */
export interface HttpCall {
  response: ServerResponse;
  /** The whole answer, as it would be in a JSON body. */
  answer: string;
  /** The server does not know this session any more. */
  forgetSession(): void;
}

export interface HttpMcpOptions {
  /** What becomes of the calls, one after the other; those behind the last are answered. */
  calls?: ((call: HttpCall) => void)[];
  /** Answers who takes a broken stream up again. */
  resume?(lastEventId: string, response: ServerResponse): void;
  /** How many introductions are answered with an error first. */
  failures?: number;
}

export interface HttpMcp {
  url: string;
  port: number;
  /** `initialize`, `tools/call`, … of every message, and `GET`, `DELETE`. */
  asked: string[];
  /** How many sessions it has begun. */
  readonly sessions: number;
}

/** A server that speaks streamable HTTP on loopback, with sessions, and can break them; gone when the test is over. */
export async function startHttpMcp({ calls = [], resume, failures = 0 }: HttpMcpOptions = {}): Promise<HttpMcp> {
  const asked: string[] = [];
  let sessions = 0;
  let current = '';
  let failuresLeft = failures;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      asked.push(String(request.method));
      const lastEventId = request.headers['last-event-id'];
      if (request.method === 'GET' && resume && lastEventId) resume(String(lastEventId), response);
      else response.writeHead(request.method === 'GET' ? 405 : 200).end();
      return;
    }
    const { id, method, params } = JSON.parse(await bodyOf(request));
    asked.push(method);
    const say = (result: object, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize') {
      if (failuresLeft-- > 0) return void response.writeHead(500).end('not yet');
      current = `session-${++sessions}`;
      const serverInfo = { name: 'far', version: '1' };
      say(
        { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': current },
      );
    } else if (request.headers['mcp-session-id'] !== current) response.writeHead(404).end('no such session');
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/list') say({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
    else {
      const result = { content: [{ type: 'text', text: 'woven' }] };
      const call = calls.shift();
      const forgetSession = () => {
        current = '';
        response.writeHead(404).end('no such session');
      };
      if (call) call({ response, answer: JSON.stringify({ jsonrpc: '2.0', id, result }), forgetSession });
      else say(result);
    }
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    asked,
    get sessions() {
      return sessions;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += part;
  return text;
}
