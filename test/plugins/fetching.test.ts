import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shownSource } from '../../src/plugins/marketplace-source.ts';
import { addMarketplace } from '../../src/plugins/marketplaces.ts';
import { knownMarketplaces } from '../../src/plugins/plugin-home.ts';
import { download } from '../../src/plugins/sources/download.ts';
import { afterTest } from '../support/after-test.ts';
import { put } from '../support/put.ts';
import { tar, zip } from './archives.ts';
import { createRig, treeOf } from './support.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const directory = (path: string) => ({ source: 'directory', path });
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

describe('an archive', () => {
  const archive = zip([
    { path: 'kit-main/commands/a.md', data: 'A' },
    { path: 'kit-main/bin/x', data: '#!', mode: 0o100755 },
  ]);

  test('is fetched, checked against its hash, and unpacked without the folder around it', async () => {
    const url = `${await serve((_request, response) => response.end(archive))}/kit.zip`;
    const rig = createRig();
    const prepared = await rig.prepare(
      directory(rig.shop({}, { source: { source: 'archive', url, sha256: sha256(archive) } })),
    );
    expect(treeOf(prepared.folder)).toEqual(['bin/x', 'commands/a.md']);
    expect(prepared.examined.acts).toMatchObject({ bin: ['x'] });
    const other = createRig();
    const wrong = other.shop({}, { source: { source: 'archive', url, sha256: sha256(Buffer.from('x')) } });
    await expect(other.prepare(directory(wrong))).rejects.toThrow('it is not what was listed');
  });

  test('that is too large, that redirects elsewhere without encryption or for ever, and that is not there are refused', async () => {
    const { tools } = createRig().store;
    const url = await serve((request, response) => {
      const [, path] = (request.url ?? '').split('/');
      if (path === 'large') response.end(Buffer.alloc(2000));
      else if (path === 'away') response.writeHead(302, { location: 'http://example.com/x' }).end();
      else if (path === 'round') response.writeHead(302, { location: '/round' }).end();
      else response.writeHead(404).end();
    });
    await expect(download({ url: `${url}/large`, maxBytes: 1000 }, tools)).rejects.toThrow('has more than');
    await expect(download({ url: `${url}/away` }, tools)).rejects.toThrow('http://example.com/x is no https address');
    await expect(download({ url: `${url}/round` }, tools)).rejects.toThrow('redirects for ever');
    await expect(download({ url: `${url}/none` }, tools)).rejects.toThrow('it answers 404');
  });

  test('that redirects from the network to a server of this machine is refused before it is asked', async () => {
    let isAsked = false;
    const local = await serve((_request, response) => {
      isAsked = true;
      response.end('{}');
    });
    const { tools } = createRig().store;
    const redirects: typeof tools.fetch = async (url, init) =>
      url.startsWith('https:')
        ? new Response(null, { status: 302, headers: { location: local } })
        : tools.fetch(url, init);
    const fetched = download({ url: 'https://example.com/x' }, { ...tools, fetch: redirects });
    await expect(fetched).rejects.toThrow(`it redirects to ${local}`);
    expect(isAsked).toBe(false);
  });

  test('a password in an address goes to its own server as a header, and into no message', async () => {
    const { tools } = createRig().store;
    const heard: unknown[] = [];
    const answers: typeof tools.fetch = async (url, { headers }) => {
      heard.push(new Request(url).url, new Headers(headers).get('authorization'));
      if (url !== 'https://example.com/a') return new Response(null, { status: 404 });
      return new Response(null, { status: 302, headers: { location: 'https://other.example/x' } });
    };
    const report = (text: string) => heard.push(text);
    const url = 'https://me:p@ss%2Fword@example.com/a';
    const failed = await download({ url }, { ...tools, fetch: answers, report }).catch(String);
    expect(failed).toContain('https://…@example.com/a: it answers 404');
    const basic = `Basic ${btoa('me:p@ss/word')}`;
    const [told, ...requests] = heard;
    expect(told).toBe('Fetching https://…@example.com/a');
    expect(requests).toEqual(['https://example.com/a', basic, 'https://other.example/x', null]);
  });

  test('a marketplace with a password in its address is not written into the settings of a project, nor listed', async () => {
    const { store, home } = createRig();
    const fetch = async () => new Response('{"name":"shop","plugins":[]}');
    const quiet = { ...store, tools: { ...store.tools, fetch } };
    const source = { source: 'url', url: 'https://me:secret@example.com/m.json' };
    await expect(addMarketplace(quiet, source, 'project')).rejects.toThrow('--scope local');
    expect(existsSync(join(home.cwd, '.claude'))).toBe(false);
    await addMarketplace(quiet, source, 'local');
    expect(knownMarketplaces(home)).toMatchObject([{ name: 'shop', source }]);
    const headers = { authorization: 'Bearer secret' };
    expect(shownSource({ ...source, headers })).toEqual({
      source: 'url',
      url: 'https://…@example.com/m.json',
      headers: { authorization: '…' },
    });
  });

  test('headers stay with the host that they are for', async () => {
    const heard: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      heard.push(request.headers.authorization);
      response.end('{}');
    });
    const url = await serve((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(302, { location: `${other}/x` }).end();
    });
    await download({ url, headers: { authorization: 'Bearer x' } }, createRig().store.tools);
    expect(heard).toEqual(['Bearer x', undefined]);
  });
});

test('a marketplace at an address has a list only: plugins in its folders are refused, and others are fetched', async () => {
  const archive = tar([{ path: 'commands/a.md', data: 'A' }]);
  const plugins = [{ name: 'kit', source: './kit' }];
  const base = await serve((request, response) => {
    if (request.url === '/a.tgz') response.end(archive);
    else response.end(JSON.stringify({ name: 'shop', plugins }));
  });
  const rig = createRig();
  const source = { source: 'url', url: `${base}/marketplace.json` };
  await expect(rig.prepare(source)).rejects.toThrow('of which there is only the list here');
  plugins[0] = { name: 'kit', source: { source: 'archive', url: `${base}/a.tgz` } as never };
  await addMarketplace(rig.store, source, 'user');
  const prepared = await rig.prepare(source);
  expect(treeOf(prepared.folder)).toEqual(['commands/a.md']);
  expect(rig.file('plugins/known_marketplaces.json')).toMatchObject({
    shop: { installLocation: join(rig.home.configHome, 'plugins/marketplaces/shop.json') },
  });
});

describe('npm', () => {
  /** A registry with one package, as npm asks for it. */
  async function registry(claim: (hash: string) => string = (hash) => hash): Promise<string> {
    const script = "node -e \"require('fs').writeFileSync(process.env.HOME + '/touched', '')\"";
    const manifest = {
      name: 'kit',
      version: '1.0.0',
      scripts: { prepare: script, prepack: script, postinstall: script },
    };
    const archive = tar([
      { path: 'package/package.json', data: JSON.stringify(manifest) },
      { path: 'package/commands/a.md', data: 'A' },
    ]);
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const base: string = await serve((request, response) => {
      if (request.url?.endsWith('.tgz')) {
        response.end(archive);
        return;
      }
      const dist = { tarball: `${base}/kit/-/kit-1.0.0.tgz`, integrity: claim(integrity) };
      const body = { name: 'kit', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...manifest, dist } } };
      response
        .writeHead(request.url === '/kit' ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    });
    return base;
  }

  test('a package is unpacked, and no script of it runs', async () => {
    const rig = createRig();
    const source = { source: 'npm', package: 'kit', version: '1.0.0', registry: await registry() };
    const prepared = await rig.prepare(directory(rig.shop({}, { source })));
    expect(treeOf(prepared.folder)).toEqual(['commands/a.md', 'package.json']);
    expect(treeOf(rig.base)).not.toContain('touched');
  }, 60_000);

  test('another content than the registry says, and a package that is not there, are refused', async () => {
    const rig = createRig();
    const wrong = {
      source: 'npm',
      package: 'kit',
      registry: await registry(() => `sha512-${Buffer.alloc(64).toString('base64')}`),
    };
    await expect(rig.prepare(directory(rig.shop({}, { source: wrong })))).rejects.toThrow(/npm kit: /);
    put(join(rig.base, 'shop/.claude-plugin/marketplace.json'), {
      name: 'shop',
      plugins: [{ name: 'kit', source: { ...wrong, package: 'none' } }],
    });
    await expect(rig.prepare(directory(join(rig.base, 'shop')))).rejects.toThrow(/npm none: /);
  }, 60_000);
});
