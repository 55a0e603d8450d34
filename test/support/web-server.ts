import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A web server on a loopback port. */
export interface WebServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  port: number;
  /** The paths that were asked for, in order; absolute URLs when it is used as a proxy. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers by path; a text is a page of HTML. Everything else is a 404. Ends with the running test. */
export async function startWebServer(routes: Record<string, string | Handler>): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    asked.push(request.url ?? '');
    const route = routes[request.url ?? ''];
    if (typeof route === 'function') route(request, response);
    else if (route !== undefined) response.setHeader('content-type', 'text/html; charset=utf-8').end(route);
    else response.writeHead(404).end('nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked, requests };
}

export function redirect(location: string, status = 302): Handler {
  return (_request, response) => response.writeHead(status, { location }).end();
}
