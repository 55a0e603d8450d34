import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { forwardProxy } from '../support/forward-proxy.ts';
import { type HttpCall, type HttpMcp, startHttpMcp } from '../support/http-mcp-server.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';

/** Servers over streamable HTTP whose sessions and answers do not last, and those behind a proxy. */

const calling = (times: number): AnswerLike[] => [
  ...Array.from({ length: times }, () => toolUse('mcp__far__add', {})),
  'Done.',
];
const flags = (url: string) => [
  '--mcp-config',
  JSON.stringify({ mcpServers: { far: { type: 'http', url } } }),
  '--allowedTools',
  'mcp__far',
];
const run = (place: Place, url: string, env = {}) => runCli([...STREAM_OUT, 'go', ...flags(url)], { place, env });
const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
const WOVEN = { content: [{ type: 'text', text: 'woven' }] };
const countOf = ({ asked }: HttpMcp, method: string) => asked.filter((each) => each === method).length;

test('[MCP-03] a server that has forgotten the session (404) is introduced to anew, and the tools go on to work', async () => {
  const server = await startHttpMcp({ calls: [({ forgetSession }) => forgetSession()] });
  const place = await makePlace(calling(3));
  const { lines, stderr } = await run(place, server.url);
  expect(resultsIn(lines)).toMatchObject([
    { is_error: true, content: expect.stringContaining('no such session') },
    WOVEN,
    WOVEN,
  ]);
  expect(server.sessions).toBe(2);
  expect(stderr).toContain('The MCP server far was lost');
});

const STREAM = { 'content-type': 'text/event-stream' };

describe('[C-2] an answer that breaks off fails at once, and the session goes on', () => {
  test.each<[string, (call: HttpCall) => void]>([
    ['a stream that ends', ({ response }) => response.writeHead(200, STREAM).end(': nothing yet\n\n')],
    [
      'a stream that is cut',
      ({ response }) => response.writeHead(200, STREAM).write(': nothing yet\n\n', () => response.destroy()),
    ],
    [
      'half a message',
      ({ response, answer }) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
          .write(answer.slice(0, 20), () => response.destroy()),
    ],
    [
      'a message that is none',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"half":'),
    ],
  ])('%s', async (_, breakOff) => {
    const server = await startHttpMcp({ calls: [breakOff] });
    const place = await makePlace(calling(2));
    const { lines } = await run(place, server.url, { MCP_TOOL_TIMEOUT: '8000' });
    expect(resultsIn(lines)).toMatchObject([{ is_error: true }, WOVEN]);
    expect(JSON.stringify(resultsIn(lines)[0])).not.toContain('8000 ms');
    expect(server.sessions).toBe(1);
  });
});

test('[MCP-03] a stream with ids that breaks off is taken up where it was', async () => {
  let answered = '';
  const server = await startHttpMcp({
    calls: [
      ({ response, answer }) => {
        answered = answer;
        response.writeHead(200, STREAM).end('retry: 10\nid: thread-7\ndata: \n\n');
      },
    ],
    resume(lastEventId, response) {
      response.writeHead(200, STREAM).end(`id: ${lastEventId}-1\ndata: ${answered}\n\n`);
    },
  });
  const place = await makePlace(calling(1));
  const { lines } = await run(place, server.url);
  expect(resultsIn(lines)).toMatchObject([WOVEN]);
  expect(countOf(server, 'tools/call')).toBe(1);
});

test('a first connection that fails is not tried again until somebody asks for it', async () => {
  const server = await startHttpMcp({ failures: 1 });
  const place = await makePlace(['One.', ...calling(1)]);
  const cli = startCli([...STREAM_BOTH, ...flags(server.url)], { place });
  cli.say('one');
  await cli.nextResult();
  await new Promise((resolve) => setTimeout(resolve, 1000)); // a lost one would be tried again after half a second
  expect(countOf(server, 'initialize')).toBe(1);
  expect(cli.lines.find(({ subtype }) => subtype === 'init')).toMatchObject({ mcp_servers: [{ status: 'failed' }] });
  expect(await cli.control({ subtype: 'mcp_reconnect', serverName: 'far' })).toMatchObject({ subtype: 'success' });
  cli.say('two');
  await cli.nextResult();
  expect(resultsIn(cli.lines)).toMatchObject([WOVEN]);
});

describe('HTTP_PROXY', () => {
  test('a server that only the proxy knows is reached through it', async () => {
    const server = await startHttpMcp();
    const proxy = await forwardProxy({ 'loom.invalid': `127.0.0.1:${server.port}` });
    const place = await makePlace(calling(1));
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    const { lines } = await run(place, 'http://loom.invalid/mcp', env);
    expect(resultsIn(lines)).toMatchObject([WOVEN]);
    expect(new Set(proxy.asked)).toEqual(
      new Set(['POST', 'GET', 'DELETE'].map((method) => `${method} http://loom.invalid/mcp`)),
    );
  });

  test('one that NO_PROXY names is reached without it', async () => {
    const server = await startHttpMcp();
    const proxy = await forwardProxy();
    const place = await makePlace(calling(1));
    const { lines } = await run(place, server.url, { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' });
    expect(resultsIn(lines)).toMatchObject([WOVEN]);
    expect(proxy.asked).toEqual([]);
  });
});
