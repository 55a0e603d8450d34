import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { isObject, type JsonObject, tryParseJson } from '../../src/util/json.ts';

/** What a fake cloud was asked. */
export interface CloudRequest {
  method: string;
  /** The path and query as they were sent. */
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  text: string;
}

export interface FakeCloud {
  url: string;
  requests: CloudRequest[];
}

export interface CloudDialect {
  /** Refuses a request with a status and a body, or lets it through with null. */
  refuse(request: CloudRequest): { status: number; body: string | Buffer; headers?: Record<string, string> } | null;
  /** The body of the same request at the Messages API. */
  toMessages(request: CloudRequest): JsonObject;
  /** One event of the Messages API as this cloud sends it. Default: as it is. */
  encode?(event: string, data: string): Buffer;
  contentType?: string;
}

/** A cloud in front of a Messages API: it checks requests, and encodes the answers. The caller closes it. */
export async function openFakeCloud(
  apiUrl: string,
  dialect: CloudDialect,
): Promise<FakeCloud & { close(): Promise<void> }> {
  const requests: CloudRequest[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response, { dialect, requests, messages: `${apiUrl}/v1/messages` }).catch(() =>
      response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Handling {
  dialect: CloudDialect;
  requests: CloudRequest[];
  messages: string;
}

async function handle(incoming: IncomingMessage, response: ServerResponse, handling: Handling): Promise<void> {
  const { dialect, requests, messages } = handling;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const parsed = tryParseJson(text);
  const request: CloudRequest = {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers as Record<string, string>,
    body: isObject(parsed) ? parsed : {},
    text,
  };
  requests.push(request);
  const refused = dialect.refuse(request);
  if (refused) {
    response.writeHead(refused.status, { 'content-type': 'application/json', ...refused.headers }).end(refused.body);
    return;
  }
  const inner = httpRequest(messages, { method: 'POST', headers: { 'content-type': 'application/json' } });
  response.on('close', () => inner.destroy());
  inner.on('error', () => response.destroy());
  inner.on('response', (answer) => relay(answer, response, dialect));
  inner.end(JSON.stringify({ ...dialect.toMessages(request), stream: true }));
}

function relay(answer: IncomingMessage, response: ServerResponse, { encode, contentType }: CloudDialect): void {
  const isStream = answer.statusCode === 200;
  const type = isStream && contentType ? contentType : answer.headers['content-type'];
  response.writeHead(answer.statusCode ?? 500, {
    ...(type && { 'content-type': type }),
    ...(answer.headers['request-id'] && { 'request-id': answer.headers['request-id'] }),
    ...(answer.headers['retry-after'] && { 'retry-after': answer.headers['retry-after'] }),
    ...(answer.headers['retry-after-ms'] && { 'retry-after-ms': answer.headers['retry-after-ms'] }),
  });
  // What breaks next breaks behind the head, as it does in the API behind.
  response.flushHeaders();
  let pending = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    if (!isStream || !encode) {
      response.write(chunk);
      return;
    }
    pending += chunk;
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/s.exec(pending.slice(0, end)) ?? [];
      response.write(encode(event, data));
      pending = pending.slice(end + 2);
    }
  });
  // The fake's own cut: what has been written must arrive first.
  answer.on('error', () => setImmediate(() => response.destroy()));
  answer.on('end', () => response.end());
}

/** Bedrock with a bearer key or any signature; `check` may look closer. */
export function bedrockDialect(check: (request: CloudRequest) => string | null = () => null): CloudDialect {
  return {
    contentType: 'application/vnd.amazon.eventstream',
    refuse(request) {
      const message = request.body.anthropic_version === 'bedrock-2023-05-31' ? check(request) : 'anthropic_version?';
      if (!/^\/model\/[^/]+\/invoke-with-response-stream$/.test(request.path)) return refusal(404, request.path);
      if ('model' in request.body || 'stream' in request.body)
        return refusal(400, 'extraneous key [model] or [stream]');
      return message === null ? null : refusal(403, message);
    },
    toMessages: ({ path, body }) => ({ ...body, model: decodeURIComponent(path.split('/')[2] ?? '') }),
    encode: bedrockFrame,
  };
}

function refusal(status: number, message: string) {
  return { status, body: JSON.stringify({ message }) };
}

const EXCEPTIONS: Readonly<Record<string, string>> = {
  overloaded_error: 'serviceUnavailableException',
  rate_limit_error: 'throttlingException',
  api_error: 'internalServerException',
};

function bedrockFrame(event: string, data: string): Buffer {
  if (event !== 'error') {
    const payload = JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdef' });
    return frame({ ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }, payload);
  }
  const { type, message } = JSON.parse(data).error;
  return exceptionFrame(EXCEPTIONS[type] ?? 'validationException', message);
}

export function exceptionFrame(type: string, message: string): Buffer {
  return frame({ ':exception-type': type, ':message-type': 'exception' }, JSON.stringify({ message }));
}

/** A frame of an AWS event stream. */
export function frame(headers: Record<string, string>, payload: string | Buffer): Buffer {
  const encoded = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const head = Buffer.from([name.length, ...Buffer.from(name), 7, 0, 0]);
      head.writeUInt16BE(Buffer.byteLength(value), head.length - 2);
      return Buffer.concat([head, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(payload as string);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + encoded.length + body.length, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, encoded, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(whole));
  return Buffer.concat([whole, checksum]);
}

/** Vertex with a bearer token that `isValid` accepts. */
export function vertexDialect(isValid: (token: string) => boolean = () => true): CloudDialect {
  const path = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/:]+):streamRawPredict$/;
  return {
    refuse({ path: asked, headers, body }) {
      if (!path.test(asked)) return refusal(404, asked);
      if (!isValid((headers.authorization ?? '').replace('Bearer ', ''))) {
        return {
          status: 401,
          body: JSON.stringify({
            error: { code: 401, message: 'Request had invalid authentication credentials.', status: 'UNAUTHENTICATED' },
          }),
        };
      }
      const isRight = body.anthropic_version === 'vertex-2023-10-16' && body.stream === true && !('model' in body);
      return isRight ? null : refusal(400, 'the body is not that of Vertex');
    },
    toMessages: ({ path: asked, body }) => ({ ...body, model: decodeURIComponent(path.exec(asked)?.[1] ?? '') }),
  };
}
