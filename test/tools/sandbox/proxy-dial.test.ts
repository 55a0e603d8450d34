import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type DialOptions, dial, findHost } from '../../../src/tools/sandbox/proxy-dial.ts';

const options = (changes: Partial<DialOptions> = {}): DialOptions => ({
  rules: (host) => (host.endsWith('allowed.test') ? 'public' : 'none'),
  resolve: async () => [{ address: '93.184.215.14', family: 4 }],
  ...changes,
});

test('a host is compared as a whole, in one spelling', async () => {
  for (const host of ['www.allowed.test', 'WWW.Allowed.TEST', 'www.allowed.test.']) {
    expect((await findHost(host, options())).host).toBe('www.allowed.test');
  }
  await expect(findHost('allowed.test.evil.com', options())).rejects.toThrow('does not allow');
});

test.each([
  'evil.com\0.allowed.test',
  'evil.com\n.allowed.test',
  'evil.com\t.allowed.test',
  'evil.com/.allowed.test',
  'evil.com#.allowed.test',
  'evil.com?.allowed.test',
  'user@www.allowed.test',
  'evil.com\\.allowed.test',
  'evil.com\u2028.allowed.test',
  '',
])('what two programs could read differently is no host name: %j', async (host) => {
  await expect(findHost(host, options())).rejects.toThrow('this is no host name');
});

test('a name that is allowed by a pattern must not lead into the local network', async () => {
  const resolve = async () => [
    { address: '93.184.215.14', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ];
  await expect(findHost('www.allowed.test', options({ resolve }))).rejects.toThrow('not on the public internet');
  const named = options({ resolve, rules: () => 'any' });
  expect((await findHost('www.allowed.test', named)).addresses).toHaveLength(2);
});

test('the name is resolved once, and exactly that is connected to', async () => {
  const server = createServer((socket) => socket.end('here'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  let lookups = 0;
  const resolve = async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '192.0.2.1', family: 4 }];
  const socket = await dial('no-such-host.test', (server.address() as AddressInfo).port, {
    rules: () => 'any',
    resolve,
  });
  expect(String((await once(socket, 'data'))[0])).toBe('here');
  expect(lookups).toBe(1);
});

test('there is no port 0', async () => {
  await expect(dial('www.allowed.test', 0, options())).rejects.toThrow('no such port');
});
