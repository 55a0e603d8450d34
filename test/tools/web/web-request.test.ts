import type { LookupOptions } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { proxyAuthorization, proxyFor } from '../../../src/model/http/proxy.ts';
import { fetchPage, type WebRequestOptions } from '../../../src/tools/web/web-request.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { redirect, startWebServer } from '../../support/web-server.ts';

const signal = new AbortController().signal;

function fetching(url: string, options: Partial<WebRequestOptions> = {}) {
  const all = { env: {}, proxyFor, proxyAuthorization, mayReachPrivate: () => true, ...options };
  return fetchPage(new URL(url), all, signal);
}

async function bodyOf(url: string, options?: Partial<WebRequestOptions>): Promise<string> {
  const fetched = await fetching(url, options);
  if (fetched.kind !== 'page') throw new Error(`redirected to ${fetched.target}`);
  return fetched.body.toString();
}

/** Resolves every name to these addresses, one after the other. */
function resolvingTo(...addresses: string[]): Pick<WebRequestOptions, 'lookup'> {
  const lookup = (_host: string, options: LookupOptions, callback: (...args: unknown[]) => void) => {
    const address = addresses.length > 1 ? addresses.shift() : addresses[0];
    const family = address?.includes(':') ? 6 : 4;
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  return { lookup: lookup as unknown as NonNullable<WebRequestOptions['lookup']> };
}

test('brings the page with its status and type, and says who asks', async () => {
  const web = await startWebServer({ '/': '<p>Hi' });
  expect(await fetching(web.url)).toMatchObject({
    kind: 'page',
    status: 200,
    statusText: 'OK',
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from('<p>Hi'),
  });
  expect(web.requests[0]?.headers).toMatchObject({ 'user-agent': expect.stringMatching(/^heddle\//) });
});

describe('redirects', () => {
  test('on the same host are followed, ten at most', async () => {
    const web = await startWebServer({
      '/a': redirect('/b', 301),
      '/b': redirect('c', 307),
      '/c': redirect('?d=1', 308),
      '/c?d=1': redirect('/end', 303),
      '/end': 'here',
      '/loop': redirect('/loop'),
    });
    expect(await bodyOf(`${web.url}/a`)).toBe('here');
    expect(web.asked).toEqual(['/a', '/b', '/c', '/c?d=1', '/end']);
    await expect(fetching(`${web.url}/loop`)).rejects.toThrow(/redirects more than 10 times/);
    expect(web.asked.filter((path) => path === '/loop')).toHaveLength(11);
  });

  test.each([
    ['another name', (port: number) => `http://localhost:${port}/x`],
    ['another port', () => 'http://127.0.0.1:1/x'],
    ['another host by its other spelling', (port: number) => `http://0x7f.2:${port}/x`],
    ['the secure side of another port', (port: number) => `https://127.0.0.1:${port}/x`],
  ])('to %s are reported', async (_name, target) => {
    const web = await startWebServer({
      '/': (request, response) => redirect(target(request.socket.localPort ?? 0))(request, response),
    });
    const fetched = await fetching(web.url);
    expect(fetched).toMatchObject({ kind: 'elsewhere', status: 302 });
    expect(web.asked).toEqual(['/']);
  });

  test('to what is no page are refused', async () => {
    const web = await startWebServer({
      '/file': redirect('file:///etc/passwd'),
      '/user': (request, response) => redirect(`http://a:b@127.0.0.1:${request.socket.localPort}/`)(request, response),
      '/bad': redirect('http://['),
    });
    await expect(fetching(`${web.url}/file`)).rejects.toThrow(/Only http and https/);
    await expect(fetching(`${web.url}/user`)).rejects.toThrow(/user name or password/);
    await expect(fetching(`${web.url}/bad`)).rejects.toThrow(/no valid URL/);
  });
});

describe('addresses off the public internet', () => {
  const closed = { mayReachPrivate: () => false };

  test.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://0.0.0.0/',
    'http://[fd00::1]/',
    'http://localhost/',
    'http://localhost./',
    'http://x.local/',
    'http://intranet/',
  ])('%s is refused before anything is sent', async (url) => {
    const { port } = await startWebServer({});
    const target = new URL(url);
    target.port = String(port);
    await expect(fetching(target.href, closed)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/is not on the public internet.*HEDDLE_WEBFETCH_ALLOW_PRIVATE/),
    });
  });

  test.each(['127.0.0.1', '::1', '10.0.0.1', '::ffff:127.0.0.1', 'fe80::1'])(
    'a public name that resolves to %s is refused where the connection is made',
    async (address) => {
      const web = await startWebServer({ '/': 'secret' });
      const url = `http://rebound.example:${web.port}/`;
      await expect(fetching(url, { ...closed, ...resolvingTo(address) })).rejects.toThrow(/rebound\.example is not on/);
      expect(web.asked).toEqual([]);
    },
  );

  test('a name is checked again at every redirect', async () => {
    const web = await startWebServer({ '/': redirect('/again'), '/again': 'secret' });
    let asked = 0;
    const mayReachPrivate = () => ++asked === 1;
    const url = `http://rebound.example:${web.port}/`;
    await expect(fetching(url, { mayReachPrivate, ...resolvingTo('127.0.0.1') })).rejects.toThrow(
      /is not on the public/,
    );
    expect(web.asked).toEqual(['/']);
  });
});

describe('bodies', () => {
  const page = Buffer.from('<p>Grüße</p>'.repeat(50));
  test.each([
    ['gzip', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
    ['identity', page],
  ])('packed as %s are unpacked', async (encoding, body) => {
    const web = await startWebServer({
      '/': (_request, response) => response.setHeader('content-encoding', encoding).end(body),
    });
    expect(await bodyOf(web.url)).toBe(page.toString());
  });

  test.each([
    ['gzip', Buffer.from('no gzip'), /could not be unpacked/],
    ['zstd', Buffer.from('x'), /not understood: zstd/],
    ['gzip, gzip, gzip', gzipSync(page), /too many times/],
    ['gzip', gzipSync(Buffer.alloc(11 * 1024 * 1024)), /larger than 10 MB/],
    ['identity', Buffer.alloc(11 * 1024 * 1024), /larger than 10 MB/],
  ])('that cannot be taken are an error: %s', async (encoding, body, problem) => {
    const web = await startWebServer({
      '/': (_request, response) => response.setHeader('content-encoding', encoding).end(body),
    });
    await expect(fetching(web.url)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(problem),
    });
  });
});

describe('trouble', () => {
  test('a server that does not answer, or not to the end, is given up', async () => {
    const web = await startWebServer({
      '/silent': () => {},
      '/slow': (_request, response) => response.write('half'),
    });
    for (const path of ['/silent', '/slow']) {
      await expect(fetching(web.url + path, { timeoutMs: 200 })).rejects.toThrow(/did not answer within 0\.2 s/);
    }
  });

  test('an abort ends it at once', async () => {
    const web = await startWebServer({ '/': () => {} });
    const controller = new AbortController();
    const all = { env: {}, proxyFor, proxyAuthorization, mayReachPrivate: () => true };
    const pending = fetchPage(new URL(web.url), all, controller.signal);
    setTimeout(() => controller.abort(new Aborted('interrupt')), 50);
    await expect(pending).rejects.toMatchObject({ kind: 'interrupt' });
    await expect(fetchPage(new URL(web.url), all, controller.signal)).rejects.toMatchObject({ kind: 'interrupt' });
  });

  test('is told in words', async () => {
    const web = await startWebServer({ '/': (_request, response) => response.destroy() });
    await expect(fetching(web.url)).rejects.toThrow(/could not be fetched from: it broke the connection off/);
    await expect(fetching('http://127.0.0.1:1/')).rejects.toThrow(/it refused the connection/);
    await expect(fetching('http://nowhere.invalid/')).rejects.toMatchObject({ name: 'ToolError' });
  });
});

describe('proxies', () => {
  test('plain requests go to the proxy with the whole address', async () => {
    const url = 'http://example.test/page?x=1';
    const proxy = await startWebServer({ [url]: 'from the proxy' });
    const env = { HTTP_PROXY: `http://user:word@127.0.0.1:${proxy.port}` };
    expect(await bodyOf(url, { env, mayReachPrivate: () => false })).toBe('from the proxy');
    expect(proxy.requests[0]?.headers).toMatchObject({
      host: 'example.test',
      'proxy-authorization': `Basic ${Buffer.from('user:word').toString('base64')}`,
    });
  });

  test('secure requests go through a tunnel', async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const fetched = await fetching('https://example.test/', { env, mayReachPrivate: () => false });
    expect(fetched).toMatchObject({ kind: 'page', status: 502 });
    expect(asked).toEqual(['example.test:443']);
  });

  test('an address that is private is refused in front of a proxy, too', async () => {
    const proxy = await startWebServer({});
    const env = { HTTP_PROXY: proxy.url };
    await expect(fetching('http://127.0.0.1/', { env, mayReachPrivate: () => false })).rejects.toThrow(
      /not on the public/,
    );
    expect(proxy.asked).toEqual([]);
  });

  test('NO_PROXY goes without', async () => {
    const web = await startWebServer({ '/': 'direct' });
    const env = { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' };
    expect(await bodyOf(web.url, { env })).toBe('direct');
  });
});
