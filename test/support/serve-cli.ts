import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningCli, startCli } from './cli.ts';
import type { Place } from './place.ts';
import { eventually } from './processes.ts';

/** A server that the built command line runs, and a client of it that knows nothing of its code. */
export interface ServedCli {
  cli: RunningCli;
  url: string;
  token: string;
  /** Sends a request with the first token, unless another one is given. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
}

export interface CallOptions {
  body?: unknown;
  /** Null: none. */
  token?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  body: any;
}

/** Starts `heddle serve` on a free port, and waits until it listens. */
export async function startServer(
  place: Place,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<ServedCli> {
  const cli = startCli(['serve', '--port', '0', ...args], { place, env });
  await eventually(() => /heddle serves \S+/.test(cli.stdout) || cli.child.exitCode !== null, 15_000);
  const [, url = ''] = /heddle serves (\S+)/.exec(cli.stdout) ?? [];
  if (url === '') throw new Error(`The server did not start: ${cli.stdout}${cli.stderr}`);
  const token = readFileSync(join(place.home, 'serve', 'admin-token'), 'utf8').trim();
  return {
    cli,
    url,
    token,
    call: (method, path, options = {}) => send(`${url}${path}`, method, { token, ...options }),
  };
}

async function send(url: string, method: string, { body, token, headers = {}, signal }: CallOptions): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token != null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
