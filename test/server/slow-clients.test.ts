import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileTokens } from '../../src/server/embedded/file-tokens.ts';
import { makePlace, type Place } from '../support/place.ts';
import { residentMegabytes } from '../support/processes.ts';
import { type ServedCli, startServer } from '../support/serve-cli.ts';

const READERS = 100;
const PER_TOKEN = 20;
const TURNS = 15;
const ANSWER = 'x'.repeat(100_000);

interface Reader {
  /** When each line came, by its number. */
  seen: Map<number, number>;
  isDone: (seq: number) => boolean;
  close: () => void;
}

/** Reads a stream of events over a plain socket, and counts only. */
function readStream(server: ServedCli, path: string, token: string): Reader {
  const seen = new Map<number, number>();
  const socket = openStream(server, path, token);
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const now = performance.now();
    const whole = text.lastIndexOf('\n') + 1;
    const lines = whole === 0 ? '' : rest + text.slice(0, whole);
    for (const [, seq] of lines.matchAll(/^id: (\d+)$/gm)) seen.set(Number(seq), now);
    rest = whole === 0 ? (rest + text).slice(0, 100) : text.slice(whole);
  });
  return { seen, isDone: (seq) => seen.has(seq), close: () => void socket.destroy() };
}

function openStream(server: ServedCli, path: string, token: string): Socket {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = [`GET ${path}?after=0 HTTP/1.1`, 'host: 127.0.0.1', `authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.on('error', () => {});
  return socket;
}

async function fanOut(
  server: ServedCli,
  tokens: readonly string[],
  { isStalled }: { isStalled: boolean },
): Promise<number> {
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const path = `/v1/sessions/${id}/events/stream`;
  if (isStalled) openStream(server, path, server.token).pause();
  const readers = Array.from({ length: READERS }, (_, at) =>
    readStream(server, path, tokens[Math.floor(at / PER_TOKEN)] ?? ''),
  );
  for (let turn = 0; turn < TURNS; turn++) {
    const posted = { body: { content: `turn ${turn}` }, headers: { prefer: 'wait=30' } };
    expect((await server.call('POST', `/v1/sessions/${id}/messages`, posted)).body.result.subtype).toBe('success');
  }
  const newest = (await server.call('GET', `/v1/sessions/${id}`)).body.newest_seq;
  await expect.poll(() => readers.every(({ isDone }) => isDone(newest)), { timeout: 20_000 }).toBe(true);
  for (const { seen } of readers) expect(seen.size).toBe(newest);
  for (const { close } of readers) close();
  const delays: number[] = [];
  for (let seq = 1; seq <= newest; seq++) {
    const times = readers.map(({ seen }) => seen.get(seq) ?? Number.NaN);
    const first = Math.min(...times);
    delays.push(...times.map((time) => time - first));
  }
  delays.sort((a, b) => a - b);
  return delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
}

async function tokensIn(place: Place): Promise<string[]> {
  const tokens = fileTokens(join(place.home, 'serve', 'tokens.json'), { now: () => Date.now() });
  const about = {
    tenant: 'local',
    name: 'reader',
    scopes: ['sessions:read' as const],
    sessionId: null,
    expiresAt: null,
  };
  return Promise.all(Array.from({ length: READERS / PER_TOKEN }, async () => (await tokens.create(about)).secret));
}

test('[L-3, W-10] a client that stands still holds up neither the session nor 100 others, and costs no memory', async () => {
  const place = await makePlace(() => ANSWER);
  const server = await startServer(place, ['--rate', '1000']);
  const tokens = await tokensIn(place);
  const alone = await fanOut(server, tokens, { isStalled: false });
  const before = residentMegabytes(server.cli.pid);
  const beside = await fanOut(server, tokens, { isStalled: true });
  const grown = residentMegabytes(server.cli.pid) - before;
  console.log(
    `p99 of 100 readers ${alone.toFixed(1)} ms, with one that stands still ${beside.toFixed(1)} ms; RSS ${grown} MB more`,
  );
  // The machine is shared: what a few frames take is no difference.
  expect(beside).toBeLessThanOrEqual(alone * 1.2 + 50);
  expect(grown).toBeLessThanOrEqual(40);
}, 120_000);
