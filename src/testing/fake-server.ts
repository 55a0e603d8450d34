import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type Accumulator, createAccumulator } from '../model/accumulate.ts';
import type { StreamEvent } from '../model/model.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import { answerFor, type Fault, play, type RawBody, type Reply, type Script } from './script.ts';

/** A model API on a loopback port that plays a script: for tests of everything between a command line and a model. */
export interface FakeApi {
  /** The base URL, for the provider's own variable (ANTHROPIC_BASE_URL, OPENAI_BASE_URL). */
  readonly url: string;
  /** The requests for answers so far, in order. */
  readonly requests: FakeApiRequest[];
  /** Ends the server and every open connection. */
  close(): Promise<void>;
}

export interface FakeApiRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** The body, as JSON and as text. */
  body: JsonObject;
  text: string;
  /** When the request had arrived, in milliseconds since the epoch. */
  time: number;
  /** Requests over the same connection have the same number. */
  connection: number;
}

/** How a provider encodes the answers of a script. */
export interface FakeDialect {
  /** The end of the path of requests for answers. */
  path: string;
  /** The part of the base URL after the host. */
  basePath: string;
  requestIdHeader: string;
  keepAlive: string;
  /** A writer for the events of one answer; an event may give an empty text. */
  writer(request: FakeApiRequest): (event: StreamEvent) => string;
  /** The answer as one body, for requests without a stream. */
  whole(answer: WholeAnswer): JsonObject;
  error(error: ErrorShape): string;
  /** An error in the middle of a stream. */
  streamedError(error: ErrorShape): string;
  /** The answer to a request for another path, or null: the path does not exist. */
  other(path: string, request: FakeApiRequest): JsonObject | null;
}

export interface WholeAnswer extends Pick<Accumulator, 'head' | 'usage' | 'stopReason' | 'stopSequence'> {
  model: string;
  content: ContentBlock[];
}

interface ErrorShape {
  type: string;
  message: string;
}

export async function startFakeServer(script: Script<FakeApiRequest>, dialect: FakeDialect): Promise<FakeApi> {
  const requests: FakeApiRequest[] = [];
  const closing = new AbortController();
  const connections = new Map<Socket, number>();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await receive(request, connections.get(request.socket) ?? 0);
    const path = received.url.split('?')[0] ?? '';
    if (received.method !== 'POST' || !path.endsWith(dialect.path)) {
      const other = dialect.other(path, received);
      if (other) sendJson(response, 200, JSON.stringify(other));
      else sendJson(response, 404, dialect.error({ type: 'not_found_error', message: path }));
      return;
    }
    const index = requests.push(received) - 1;
    await respond(response, { script, dialect, request: received, index, closing: closing.signal });
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => connections.set(socket, connections.size + 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${dialect.basePath}`,
    requests,
    close() {
      closing.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function receive(request: IncomingMessage, connection: number): Promise<FakeApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = tryParseJson(text);
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: isObject(body) ? body : {},
    text,
    time: Date.now(),
    connection,
  };
}

interface Exchange {
  script: Script<FakeApiRequest>;
  dialect: FakeDialect;
  request: FakeApiRequest;
  index: number;
  closing: AbortSignal;
}

async function respond(response: ServerResponse, exchange: Exchange): Promise<void> {
  const answer = await answerFor(exchange.script, exchange.request, exchange.index);
  switch (answer.kind) {
    case 'reply':
      await (exchange.request.body.stream === true ? stream : sendWhole)(response, answer, exchange);
      break;
    case 'fail':
      sendJson(response, answer.status, exchange.dialect.error(answer), { ...requestId(exchange), ...answer.headers });
      break;
    case 'raw':
      await sendRaw(response, answer);
      break;
    case 'hang':
      break;
    default:
      answer satisfies never;
  }
}

async function stream(response: ServerResponse, answer: Reply, exchange: Exchange): Promise<void> {
  const { index, request, dialect, closing } = exchange;
  if (answer.waitMs) await sleep(answer.waitMs, undefined, { signal: closing });
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    ...requestId(exchange),
  });
  response.flushHeaders();
  const textOf = dialect.writer(request);
  for (const action of play(answer, { index, model: modelOf(request), textOf })) {
    if (response.destroyed) return;
    switch (action.do) {
      case 'send':
        await write(response, action.text, answer.chunkBytes);
        break;
      case 'send-part':
        await write(response, action.bytes, answer.chunkBytes);
        break;
      case 'wait':
        await sleep(action.ms, undefined, { signal: closing });
        break;
      case 'fault':
        await breakOff(response, action.how, exchange);
        return;
      default:
        action satisfies never;
    }
  }
  response.end();
}

async function breakOff(response: ServerResponse, how: Fault['how'], { dialect, closing }: Exchange): Promise<void> {
  if (how === 'hang') return;
  if (how === 'end') {
    response.end();
  } else if (how === 'cut') {
    // The earlier bytes must reach the far end first.
    await setImmediate();
    response.destroy();
  } else if ('error' in how) {
    response.end(dialect.streamedError(how.error));
  } else {
    while (!response.destroyed) {
      response.write(dialect.keepAlive);
      await sleep(how.pings.everyMs, undefined, { signal: closing });
    }
  }
}

async function sendWhole(response: ServerResponse, answer: Reply, exchange: Exchange): Promise<void> {
  const accumulator = createAccumulator();
  const content: ContentBlock[] = [];
  const model = modelOf(exchange.request);
  for (const action of play(answer, { index: exchange.index, model })) {
    const completed = action.do === 'send' ? accumulator.add(action.event) : null;
    if (completed) content.push(completed.block);
  }
  const { head, usage, stopReason, stopSequence } = accumulator;
  const whole = exchange.dialect.whole({ head, usage, stopReason, stopSequence, model, content });
  sendJson(response, 200, JSON.stringify(whole), requestId(exchange));
}

async function sendRaw(response: ServerResponse, { status, headers, body, chunkBytes }: RawBody): Promise<void> {
  response.writeHead(status, headers);
  await write(response, body, chunkBytes);
  response.end();
}

async function write(response: ServerResponse, body: string | Buffer, chunkBytes?: number): Promise<void> {
  if (body.length === 0) return;
  if (!chunkBytes) {
    response.write(body);
    return;
  }
  const bytes = Buffer.from(body as string);
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    response.write(bytes.subarray(from, from + chunkBytes));
    // A turn of the event loop in between, because the pieces would travel together otherwise.
    await setImmediate();
  }
}

function sendJson(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function modelOf({ body }: FakeApiRequest): string {
  return stringField(body, 'model') ?? '';
}

function requestId({ index, dialect }: Exchange): Record<string, string> {
  return { [dialect.requestIdHeader]: `req_fake_${index + 1}` };
}
