import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Finished, runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

const KEY = 'sk-key-0123456789';
const TOKEN = 'token-"quoted"-0123456789';
const HEADER = 'header-value-0123456789';
const COOKIE = 'cookie-value-0123456789';
const PROXY_PASSWORD = 'proxy%23password';
const PROXY_SENT = Buffer.from('proxy-user:proxy#password').toString('base64');
const SECRETS = [KEY, TOKEN, JSON.stringify(TOKEN).slice(1, -1), HEADER, COOKIE, 'short1', PROXY_PASSWORD, PROXY_SENT];
const HEADERS = `X-Team-Token: ${HEADER}\nCookie: session=${COOKIE}; theme=dark\nX-Pin: short1`;

/** What the far end does with the headers that it has got. */
type Echo = (headers: string[], response: ServerResponse) => void;

const asJson =
  (status: number): Echo =>
  (headers, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req-${headers.join(' ')}` });
    response.end(JSON.stringify({ error: { type: `odd ${headers.join(' ')}`, message: `not ${headers.join(', ')}` } }));
  };
const asPage: Echo = (headers, response) => {
  response.writeHead(400, { 'content-type': 'text/html' });
  // The cut of the page into a short message falls into the last header.
  response.end(`<p>${'x'.repeat(291)} ${headers.join(' ')}</p>`);
};
const asHugePage: Echo = (headers, response) => {
  response.writeHead(400, { 'content-type': 'text/plain' });
  // What is kept of it ends within the headers.
  response.end(`${'x'.repeat(64 * 1024 - 20)}${headers.join(' ')}`);
};
const inStream: Echo = (headers, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const error = { type: 'error', error: { type: 'invalid_request_error', message: headers.join(' ') } };
  response.end(`event: error\ndata: ${JSON.stringify(error)}\n\nevent: ${headers.join(' ')}\ndata: nothing\n\n`);
};

/** Stands for the API as well as for a proxy before it. */
async function startEcho(echo: Echo): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () => echo(Object.values(request.headersDistinct).flat().filter(isSecret), response));
  });
  const isSecret = (value: string | undefined): value is string => SECRETS.some((secret) => value?.includes(secret));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** All that a run has left behind, by where it was found. */
function everythingOf(place: Place, run: Finished): Record<string, string> {
  const files = readdirSync(place.root, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const texts = files.map((file) => join(file.parentPath, file.name)).map((path) => [path, readFileSync(path, 'utf8')]);
  return { stdout: run.stdout, stderr: run.stderr, ...Object.fromEntries(texts) };
}

async function runOn(host: string, env: Record<string, string | undefined>, ...flags: string[]) {
  const place = await makePlace();
  const base = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: `http://${host}`, CLAUDE_CODE_MAX_RETRIES: '1' };
  const args = [...STREAM_OUT, 'hello', '--record', 'calls.jsonl', ...flags];
  const run = await runCli(args, { place, env: { ...base, ...env } });
  return { run, found: everythingOf(place, run) };
}

function expectNoSecret(found: Record<string, string>): void {
  for (const [where, text] of Object.entries(found)) {
    for (const secret of SECRETS) expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
    expect(text.includes('sk-key-0'), `half a key in ${where}`).toBe(false);
  }
}

describe('a server that echoes what it was sent', () => {
  test.each<[string, Echo]>([
    ['400', asJson(400)],
    ['401', asJson(401)],
    ['500', asJson(500)],
    ['a page', asPage],
    ['a huge page', asHugePage],
    ['an error in the stream', inStream],
  ])('[R-16] %s: no credential on stdout, on stderr or on disk', async (_name, echo) => {
    const host = await startEcho(echo);
    for (const credential of [{ ANTHROPIC_API_KEY: KEY }, { ANTHROPIC_AUTH_TOKEN: TOKEN }]) {
      const env = { ...credential, ANTHROPIC_CUSTOM_HEADERS: HEADERS };
      const { run, found } = await runOn(host, env, '--debug', '--debug-file', 'debug.log');
      expect(run.code).toBe(1);
      expect(run.stdout.includes('***')).toBe(true);
      expect(Object.keys(found).map((path) => path.slice(path.lastIndexOf('/') + 1))).toEqual(
        expect.arrayContaining(['calls.jsonl', 'debug.log', expect.stringMatching(/^[0-9a-f-]{36}\.jsonl$/)]),
      );
      expectNoSecret(found);
    }
  });

  test('[R-16] the same for an OpenAI-compatible one', async () => {
    const env = { OPENAI_API_KEY: KEY, OPENAI_CUSTOM_HEADERS: HEADERS };
    for (const echo of [asJson(400), asJson(401), asPage]) {
      const OPENAI_BASE_URL = `http://${await startEcho(echo)}/v1`;
      const { run, found } = await runOn('127.0.0.1:1', { ...env, OPENAI_BASE_URL }, '--model', 'openai/x', '--debug');
      expect(run.stdout.includes('***')).toBe(true);
      expectNoSecret(found);
    }
  });

  test('[R-16] a proxy with a password in its address', async () => {
    const proxy = await startEcho(asJson(407));
    const HTTP_PROXY = `http://proxy-user:${PROXY_PASSWORD}@${proxy}`;
    const { run, found } = await runOn('api.invalid', { ANTHROPIC_API_KEY: KEY, HTTP_PROXY }, '--debug');
    expect(run.stdout.includes('***')).toBe(true);
    expectNoSecret(found);
    for (const text of Object.values(found)) expect(text).not.toContain('proxy#password');
  });

  test('[R-16] an address with a password that is no address', async () => {
    const { run, found } = await runOn('x', { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `ftp://me:${HEADER}@host` });
    expect(run.stderr).toContain('ftp://***@host');
    expectNoSecret(found);
  });
});
