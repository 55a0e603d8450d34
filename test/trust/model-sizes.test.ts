import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fail, raw, reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli } from '../support/cli.ts';
import { inLanes } from '../support/lanes.ts';
import { invalidRequests } from '../support/model-ordeals-run.ts';
import { makePlace } from '../support/place.ts';
import { requestsUntilTooLong } from '../support/too-long.ts';
import { figure } from './figures.ts';

test('[M-12] an answer of 20 MB is whole, and of 30 MB of a tool the model gets a part', async () => {
  const pieces = Array.from({ length: 20 }, (_, at) => `${at} ${'weft 🧵 and warp '.repeat(60_000)}`);
  const long = `${process.execPath} -e "process.stdout.write('x'.repeat(30e6))"`;
  const lines = `${process.execPath} -e "for (let n = 0; n < 3e5; n++) console.log(n, 'y'.repeat(90))"`;
  const place = await makePlace([
    toolUse('Bash', { command: long }),
    toolUse('Bash', { command: lines }),
    reply([text(...pieces)]),
  ]);
  const { code, stdout } = await runCli(['-p', 'go', '--allowedTools', 'Bash'], { place });
  const largest = Math.max(...place.api.requests.map((request) => request.text.length));
  const isWhole = stdout === `${pieces.join('')}\n`;
  figure('M-12', `20 MB ${isWhole ? 'whole' : 'NOT whole'}; of 2 x 30 MB ${(largest / 1e6).toFixed(2)} MB sent`);
  expect([code, isWhole, invalidRequests(place)]).toEqual([0, true, []]);
  expect(largest).toBeLessThan(2e6);
});

test('[M-13] a conversation that nothing makes fit ends with an error, however the API says it', async () => {
  const words = [
    fail(400, 'invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum'),
    fail(413, 'request_too_large', 'Request exceeds the maximum size'),
    fail(400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000'),
  ];
  const counts = await inLanes(words, 3, requestsUntilTooLong);
  figure('M-13', `${counts.length} ways to say it, ${Math.max(...counts)} requests at most`);
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
});

test('[M-14] the key follows no redirect to another origin', async () => {
  const thief = await startThief();
  const keys = {
    ANTHROPIC_API_KEY: 'secret-key',
    ANTHROPIC_AUTH_TOKEN: 'secret-token',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Own: secret-header',
  };
  const to = [`http://127.0.0.1:${thief.port}`, `http://localhost:${thief.port}`, `//127.0.0.1:${thief.port}`];
  const redirects = [301, 302, 303, 307, 308].flatMap((status) =>
    to.map((origin) => ({ status, location: `${origin}/v1/messages` })),
  );
  await inLanes(redirects, 3, async ({ status, location }) => {
    const place = await makePlace(() => raw('', { status, headers: { location } }));
    const { code } = await runCli(['-p', 'go'], { place, env: { ...keys, CLAUDE_CODE_MAX_RETRIES: '0' } });
    expect(code, `${status} ${location}`).toBe(1);
  });
  const leaked = thief.requests.filter((headers) => JSON.stringify(headers).includes('secret-')).length;
  figure('M-14', `${redirects.length} redirects, ${leaked} keys carried along`);
  expect(leaked).toBe(0);
});

/** Another origin, which takes down all that it is sent. */
async function startThief(): Promise<{ port: number; requests: IncomingHttpHeaders[] }> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    requests.push(headers);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
