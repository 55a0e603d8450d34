import { expect, test } from 'vitest';
import { expandConfig } from '../../../src/mcp/config/expand-config.ts';
import { readServerConfig, shownConfig } from '../../../src/mcp/config/server-config.ts';
import { serverRefusal } from '../../../src/mcp/config/server-policy.ts';

/** How a configuration names a variable. */
const ref = (name: string) => `$\{${name}}`;

test('variables are replaced in what a server is reached by, and nowhere else', () => {
  const given = { command: ref('BIN'), args: ['a', ref('NO:-b')], env: { K: ref('BIN') }, note: ref('BIN') };
  expect(expandConfig(given, { BIN: '/bin/x' })).toEqual({
    command: '/bin/x',
    args: ['a', 'b'],
    env: { K: '/bin/x' },
    note: ref('BIN'),
  });
  expect(() => expandConfig({ url: ref('A'), headers: { h: ref('B') } }, {})).toThrow(
    'these environment variables are not set: A (in url), B (in headers)',
  );
});

test.each(['constructor', 'toString', '__proto__'])('%s is no variable unless somebody has set it', (name) => {
  expect(() => expandConfig({ command: ref(name) }, {})).toThrow(
    `the environment variable ${name} (in command) is not set`,
  );
  expect(expandConfig({ command: ref(`${name}:-x`) }, {})).toEqual({ command: 'x' });
  expect(expandConfig({ command: ref(name) }, Object.fromEntries([[name, '/bin/x']]))).toEqual({ command: '/bin/x' });
});

test.each([
  [{ command: 'x' }, { type: 'stdio', command: 'x', args: [], env: {} }],
  [{ url: 'http://h/mcp' }, { type: 'http', url: 'http://h/mcp' }],
  [
    { type: 'streamable-http', url: 'https://h/mcp', timeout: 5 },
    { type: 'http', timeoutMs: 5 },
  ],
  [
    { type: 'sse', url: 'http://h/sse', headers: { n: 1 } },
    { type: 'sse', headers: { n: '1' } },
  ],
])('[MCP-01, MCP-02, MCP-03] %j is a server', (given, expected) => {
  expect(readServerConfig(given)).toMatchObject(expected);
});

test.each([
  [{}, 'it needs a command'],
  [{ comand: 'x' }, "it needs a command (or a url and a type); it has 'comand', did you mean 'command'?"],
  [{ command: 'x', args: 'y' }, 'args must be a list of texts'],
  [{ command: 'x', env: { a: {} } }, 'env must be an object of texts'],
  [{ type: 'http', url: 'ftp://h' }, 'it needs a url'],
  [{ command: 'x', timeout: -1 }, 'timeout must be a number'],
  [{ url: 'https://me:secret@h/mcp' }, 'its url holds a name or a password'],
  [{ url: 'https://h/mcp', headers: { 'X-Key': 'sec\nret' } }, 'the header "X-Key" cannot be sent'],
  [{ type: 'ws', url: 'ws://h' }, 'servers of the type ws are not supported'],
  [{ type: 'constructor' }, 'servers of the type constructor are not supported'],
])('%j is none', (given, problem) => {
  expect(() => readServerConfig(given)).toThrow(problem);
  expect(() => readServerConfig(given)).not.toThrow(/secret|ret"/);
});

test('what is shown of a configuration has no environment, no headers and no password', () => {
  expect(shownConfig('s', { command: 'x', args: ['y'], env: { K: 'secret' } })).toEqual({
    type: 'stdio',
    command: 'x',
    args: ['y'],
  });
  expect(shownConfig('s', { url: 'http://me:secret@h/mcp', headers: { K: 'secret' } })).toEqual({
    type: 'http',
    url: 'http://h/mcp',
  });
  expect(shownConfig('s', { url: 'http://me:se@cret@h/mcp' })).toEqual({ type: 'http', url: 'http://h/mcp' });
});

test.each([
  ['a', [{ serverName: 'a' }], null],
  ['b', [{ serverName: 'a' }], 'allowedMcpServers of F does not have it'],
  ['a', [{ serverName: 'a' }, { serverCommand: ['y'] }], 'allowedMcpServers of F does not have it'],
  ['b', [{ serverCommand: ['x', '1'] }], null],
])('%s with the allowed servers %j', (name, allowed, expected) => {
  const config = readServerConfig({ command: 'x', args: ['1'] });
  expect(serverRefusal(name, config, [{ allowed, where: 'F' }])).toBe(expected);
  expect(serverRefusal(name, config, [{ allowed, denied: [{ serverName: name }], where: 'F' }])).toContain('denie');
});

test.each([
  ['https://a.example.com/mcp', 'https://*.example.com/*', true],
  ['https://example.com.evil/mcp', 'https://*.example.com/*', false],
  ['https://h/', 'https://h', true],
  ['https://h/x', 'https://h', false],
])('%s fits %s: %s', (url, serverUrl, fits) => {
  const rules = [{ denied: [{ serverUrl }], where: 'F' }];
  expect(serverRefusal('s', readServerConfig({ url }), rules) !== null).toBe(fits);
});

test.each([
  ['https://a.example.com/mcp', 'https://*.example.com/*', true],
  ['https://evil.test/x.example.com/mcp', 'https://*.example.com/*', false],
  ['https://evil.test/x.example.com/', 'https://*.example.com', false],
  ['https://evil.test/?.example.com/', 'https://*.example.com/*', false],
  ['https://a.example.com/mcp', '*://*.example.com/mcp', true],
  ['https://h/x', 'https://h', false],
  ['https://h/x/y', 'https://h/x/*', true],
  ['https://h/x/y', 'https://h*', true],
  ['https://anything/', '*', true],
])('%s is allowed by %s: %s', (url, serverUrl, allows) => {
  const rules = [{ allowed: [{ serverUrl }], where: 'F' }];
  expect(serverRefusal('s', readServerConfig({ url }), rules) === null).toBe(allows);
});

test('what denies addresses may deny more', () => {
  const rules = [{ denied: [{ serverUrl: 'https://*evil*' }], where: 'F' }];
  expect(serverRefusal('s', readServerConfig({ url: 'https://h/evil/mcp' }), rules)).not.toBe(null);
});
