import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/wire/sandbox-settings.ts';
import { rules } from '../../permissions/policy-for.ts';
import { describeSandboxed, OUTSIDE_TMP, type SandboxRig, sandboxRig } from '../../support/sandbox.ts';
import { createBench } from '../bench.ts';

let rig: SandboxRig | undefined;
const servers: Server[] = [];
afterEach(async () => {
  await rig?.dispose();
  for (const server of servers.splice(0)) server.close();
});

async function listening<T extends Server>(server: T, at: number | string = 0): Promise<T> {
  servers.push(server);
  server.listen(at as number, typeof at === 'number' ? '127.0.0.1' : undefined);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** A web server outside, and the hosts that it was asked as. */
async function webServer(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = await listening(
    createHttpServer((request, response) => {
      asked.push(request.headers.host ?? '');
      response.end(`page ${request.url}`);
    }),
  );
  return { port: portOf(server), asked };
}

async function open(network: SandboxSettings['network'], options: Parameters<typeof sandboxRig>[1] = {}) {
  rig = await sandboxRig({ network }, options);
  return rig;
}

/** Speaks to the proxy by hand: nothing but bash is needed. */
const ask = (request: string) => `exec 3<>/dev/tcp/127.0.0.1/3128; printf '${request}' >&3; cat <&3`;
const get = (url: string) => ask(`GET ${url} HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n`);
const tunnel = (host: string) => ask(`CONNECT ${host} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET /t HTTP/1.0\\r\\n\\r\\n`);
const bytes = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const socks = (host: string, port: number) => {
  const name = `\\x03\\x${Buffer.byteLength(host).toString(16).padStart(2, '0')}${bytes(host)}`;
  const end = `\\x${(port >> 8).toString(16).padStart(2, '0')}\\x${(port & 255).toString(16).padStart(2, '0')}`;
  return `${ask(`\\x05\\x01\\x00\\x05\\x01\\x00${name}${end}GET /s HTTP/1.0\\r\\n\\r\\n`)} | tr -d '\\000-\\011'`;
};

describeSandboxed('the network of the sandbox', () => {
  test('[SBX-01] is off: no host, no name, nothing of this machine', async () => {
    const { port, asked } = await webServer();
    await open({});
    expect(await rig?.sh(`exec 3<>/dev/tcp/127.0.0.1/${port}`)).toMatch(/Connection refused/);
    expect(await rig?.sh('getent hosts example.com; cat /proc/net/route | wc -l; env | grep -ic proxy')).toContain(
      '\n1\n0',
    );
    expect(await rig?.sh('exec 3<>/dev/udp/192.0.2.1/53; echo x >&3')).toMatch(/Network is unreachable/);
    expect(asked).toEqual([]);
  });

  test('[B-027] leads to allowed hosts through the proxy, and to no other', async () => {
    const { port, asked } = await webServer();
    await open({ allowedDomains: ['127.0.0.1'] });
    expect(await rig?.sh(get(`http://127.0.0.1:${port}/a`))).toMatch(/^HTTP\/1.1 200[\s\S]*page \/a$/);
    expect(await rig?.sh(tunnel(`127.0.0.1:${port}`))).toMatch(/^HTTP\/1.1 200[\s\S]*page \/t$/);
    expect(await rig?.sh(socks('127.0.0.1', port))).toMatch(/page \/s$/);
    expect(asked).toEqual([`127.0.0.1:${port}`, '', '']);
    const refused = await rig?.sh(`${get(`http://localhost:${port}/`)}; ${tunnel(`evil.test:${port}`)}; exit 1`);
    expect(refused).toMatch(/403 Forbidden[\s\S]*403 Forbidden/);
    expect(refused).toContain('Of the network it reaches only 127.0.0.1. The proxy refused: localhost, evil.test.');
    expect(await rig?.sh(socks('evil.test', port))).not.toMatch(/page/);
    expect(asked).toHaveLength(3);
    expect(rig?.sandbox.info()).toMatchObject({ network: 'allow-list', allowed_hosts: ['127.0.0.1'] });
  });

  test('programs find the proxy by themselves', async () => {
    const { port } = await webServer();
    await open({ allowedDomains: ['localhost'] });
    const env = await rig?.sh('echo $HTTP_PROXY $https_proxy $ALL_PROXY $NO_PROXY');
    expect(env).toBe('http://127.0.0.1:3128 http://127.0.0.1:3128 socks5h://127.0.0.1:3128 127.0.0.1,::1');
    const fetch = `socat -t5 - PROXY:127.0.0.1:localhost:${port},proxyport=3128 <<< $'GET /p HTTP/1.0\\r\\n\\r\\n'`;
    expect(await rig?.sh(fetch)).toMatch(/page \/p$/);
  });

  test('[B-204] WebFetch rules open it, deny rules and deniedDomains win', async () => {
    const { port } = await webServer();
    const url = `http://127.0.0.1:${port}/`;
    const allow = rules('WebFetch(domain:127.0.0.1)', 'WebFetch(domain:localhost)');
    await open({ deniedDomains: ['localhost'] }, { policy: { allow } });
    expect(await rig?.sh(get(url))).toMatch(/page/);
    expect(await rig?.sh(get(`http://localhost:${port}/`))).toMatch(/403/);
    await rig?.dispose();
    await open({ allowedDomains: ['127.0.0.1'] }, { policy: { deny: rules('WebFetch(domain:127.0.0.1)') } });
    expect(await rig?.sh(get(url))).toMatch(/403/);
  });

  test('a pattern does not open what is not on the public internet', async () => {
    const { port, asked } = await webServer();
    await open({ allowedDomains: ['*'] });
    expect(await rig?.sh(get(`http://127.0.0.1:${port}/`))).toMatch(/403[\s\S]*only a pattern allows it/);
    expect(await rig?.sh(get(`http://localhost:${port}/`))).toMatch(/403/);
    expect(asked).toEqual([]);
  });

  test('[SBX-05] a command may listen on ports of its own network', async () => {
    await open({ allowLocalBinding: true });
    const server = `node -e "require('http').createServer((q, s) => s.end('self')).listen(8123)"`;
    const client = `until (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null; do sleep 0.05; done; exec 3<>/dev/tcp/127.0.0.1/8123; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
    expect(await rig?.sh(`${server} & ${client}`)).toMatch(/self$/);
  });

  test('[SBX-08, SBX-09] proxies of the user are used instead of ours', async () => {
    const seen: string[] = [];
    const own = (name: string) =>
      listening(
        createServer((socket) => {
          socket.once('data', (data) => {
            seen.push(`${name} ${data[0]} ${data.length}`);
            socket.end(`from ${name}`);
          });
        }),
      );
    const [http, socksServer] = [await own('http'), await own('socks')];
    await open({ httpProxyPort: portOf(http), socksProxyPort: portOf(socksServer) });
    expect(await rig?.sh(get('http://example.com/'))).toBe('from http');
    expect(await rig?.sh(ask('\\x05\\x01\\x00'))).toBe('from socks');
    expect(seen).toEqual([expect.stringMatching(/^http 71/), 'socks 5 3']);
    expect(rig?.sandbox.info()).toMatchObject({ network: 'own-proxy' });
  });

  test('the outside proxies are not told', async () => {
    await open({});
    const session = { ...rig?.bench.context.env, HTTPS_PROXY: 'http://user:secret@proxy.test:1' };
    const env = rig?.sandbox.shell?.inside(
      { command: '/bin/bash', args: [], cwd: '/', env: session },
      async (spec) => ({
        exitCode: 0,
        signal: null,
        stillRunning: false,
        timedOut: false,
        report: JSON.stringify(spec.env),
      }),
    );
    expect((await env)?.report).not.toContain('proxy.test');
  });
});

describeSandboxed('unix sockets', () => {
  const speak = (path: string) => `socat -t2 - UNIX-CONNECT:${path} </dev/null`;

  async function socketAt(path: string): Promise<string> {
    await listening(
      createServer((socket) => socket.end('reached')),
      path,
    );
    return path;
  }

  test('[SBX-06] only those that are listed can be reached, also those of the working directory', async () => {
    const bench = createBench(OUTSIDE_TMP);
    const [hidden, listed] = [await socketAt(bench.path('a.sock')), await socketAt(join(bench.dir, '../b.sock'))];
    await open({ allowUnixSockets: ['../b.sock'] }, { bench });
    expect(await rig?.sh(speak(hidden))).toMatch(/^Exit code 1\n.*(Permission denied|refused|Not a)/);
    expect(await rig?.sh(speak(listed))).toBe('reached');
  });

  test('[SBX-07] all can be reached where that is said, also those in /tmp', async () => {
    const bench = createBench();
    const path = await socketAt(join(bench.dir, '..', 'c.sock'));
    await open({}, { bench });
    expect(await rig?.sh(speak(path))).toMatch(/^Exit code 1\n.*Permission denied/);
    await rig?.sandbox.close();
    await open({ allowAllUnixSockets: true }, { bench });
    expect(await rig?.sh(speak(path))).toBe('reached');
  });

  test('/run is empty, and names that are not files stay outside', async () => {
    const name = `\0heddle-test-${process.pid}`;
    await listening(
      createServer((socket) => socket.end('reached')),
      name,
    );
    await open({});
    expect(await rig?.sh('ls -A /run')).toBe('');
    expect(await rig?.sh(`socat -t2 - ABSTRACT-CONNECT:heddle-test-${process.pid} </dev/null`)).not.toContain(
      'reached',
    );
  });
});
