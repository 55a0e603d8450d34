import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { McpLink } from '../../src/mcp/client.ts';
import { stdioLink } from '../../src/mcp/stdio-link.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createProcesses, type Processes } from '../../src/util/process/process.ts';
import type { RpcRequest } from '../../src/wire/link/json-rpc.ts';

let processes: Processes;
beforeEach(() => {
  processes = createProcesses({ log: () => {} });
});
afterEach(() => processes.close());

const { signal } = new AbortController();
const ask = (id: number): RpcRequest => ({ jsonrpc: '2.0', id, method: 'm' });

const onLines = (code: string) =>
  `require('readline').createInterface({ input: process.stdin }).on('line', (line) => { ${code} })`;

/** A server that runs this code for every line, as `line`. */
function open(code: string, maxBytes?: number, script = onLines(code)) {
  const logs: string[] = [];
  const lost = vi.fn();
  const receive = vi.fn(async (): Promise<JsonObject | null> => ({ jsonrpc: '2.0', id: 7, result: {} }));
  const link: McpLink = stdioLink({
    serverName: 's',
    command: process.execPath,
    args: ['-e', script],
    cwd: tmpdir(),
    env: {},
    processes,
    log: (level, message) => logs.push(`${level}: ${message}`),
    receive,
    onLost: lost,
    ...(maxBytes && { maxBytes }),
  });
  return { link, logs, lost, receive };
}

const ECHO = `console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { line } }))`;

test('[MCP-01] answers find their requests, garbage is skipped and told once', async () => {
  const { link, logs } = open(`console.log('hi'); console.log('again'); ${ECHO}`);
  const answers = await Promise.all([link.request(ask(1), signal), link.request(ask(2), signal)]);
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(logs.filter((line) => line.startsWith('warn'))).toEqual([expect.stringContaining('skipped: hi')]);
  await link.close();
});

test('what the server asks is answered', async () => {
  const asks = `console.log(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' }))`;
  const { link, receive } = open(
    `if (line.includes('"method"')) ${asks}; else ${ECHO.replace('JSON.parse(line).id', '1')}`,
  );
  await link.request(ask(1), signal);
  expect(receive).toHaveBeenCalledWith({ jsonrpc: '2.0', id: 7, method: 'ping' });
  await link.close();
});

test('[C-1] when the server ends, whoever waits is told why, with its last words', async () => {
  const { link, lost } = open(`console.error('the thread broke'); process.exit(3)`);
  const why = 'it ended with the exit code 3. Its last words: the thread broke';
  await expect(link.request(ask(1), signal)).rejects.toThrow(why);
  expect(lost.mock.calls).toMatchObject([[{ message: why }]]);
  await expect(link.request(ask(2), signal)).rejects.toThrow(why);
  await link.close();
});

test('a message beyond the limit fails the requests that wait, and the next one works', async () => {
  const { link } = open(`if (JSON.parse(line).id === 1) console.log('x'.repeat(5000)); else ${ECHO}`, 2000);
  await expect(link.request(ask(1), signal)).rejects.toThrow('more than 2000 bytes');
  expect(await link.request(ask(2), signal)).toMatchObject({ id: 2 });
  await link.close();
});

test('a request that is withdrawn waits no longer, and closing is not losing', async () => {
  const { link, lost } = open('');
  const stop = new AbortController();
  const waiting = link.request(ask(1), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await link.close();
  expect(lost).not.toHaveBeenCalled();
});

/** Asks on and on, as fast as it is listened to, and reads nothing. */
const FLOOD = `
const ping = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' }) + '\\n';
const more = () => { while (process.stdout.write(ping.repeat(500))); process.stdout.once('drain', more); };
more();`;

test('[C-1] a server that asks on and on without reading the answers is ended, and the reason says so', async () => {
  const { link, lost, receive } = open('', undefined, FLOOD);
  const why = /asks without reading the answers: more than 1048576 bytes/;
  await expect(link.request(ask(1), signal)).rejects.toThrow(why);
  expect(lost.mock.calls).toMatchObject([[{ message: expect.stringMatching(why) }]]);
  const answered = receive.mock.calls.length;
  await link.close();
  expect(receive.mock.calls.length).toBe(answered); // it is gone
});
