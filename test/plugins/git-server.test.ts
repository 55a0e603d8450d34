import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../support/after-test.ts';
import { put } from '../support/put.ts';
import { commitAll, createRig, git, treeOf } from './support.ts';

/** `git http-backend` behind a server of this machine: what a hosting service speaks. */
async function serveRepositories(root: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const env = {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    };
    const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(backend.stdin);
    const pieces: Buffer[] = [];
    backend.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    backend.on('close', () => {
      const all = Buffer.concat(pieces);
      const end = all.indexOf('\r\n\r\n');
      const lines = all.subarray(0, end).toString('latin1').split('\r\n');
      const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
      for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
      response.writeHead(Number.parseInt(status, 10)).end(all.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a marketplace and a plugin of a git server: a branch, a pinned commit, an update, and a password that is not asked for', async () => {
  const rig = createRig();
  const repos = join(rig.base, 'out');
  const url = await serveRepositories(repos);
  put(join(repos, 'kit/commands/old.md'), 'Old');
  const pinned = commitAll(join(repos, 'kit'));
  put(join(repos, 'kit/commands/new.md'), 'New');
  commitAll(join(repos, 'kit'));
  git(join(repos, 'kit'), 'branch', 'next');
  const shop = rig.shop({}, { source: { source: 'url', url: `${url}/kit/.git`, sha: pinned, ref: 'next' } });
  commitAll(shop);
  git(rig.base, 'clone', '-q', '--bare', shop, join(repos, 'shop.git'));

  const source = { source: 'git', url: `${url}/shop.git`, ref: 'main' };
  const prepared = await rig.prepare(source);
  expect(prepared).toMatchObject({ commit: pinned, version: pinned.slice(0, 12) });
  expect(treeOf(prepared.folder)).toEqual(['commands/old.md']);

  await expect(rig.prepare({ source: 'git', url: `${url}/none.git` })).rejects.toThrow(/not found/i);
  const closed = createServer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end());
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    closed.closeAllConnections();
    closed.close();
  });
  const address = `127.0.0.1:${(closed.address() as AddressInfo).port}/x.git`;
  const refused = (user: string) =>
    rig.prepare({ source: 'git', url: `http://${user}${address}` }).catch((error: Error) => error.message);
  expect(await refused('')).toMatch(/Authentication failed|could not read/i);
  expect(await refused('me:hush@')).toMatch(/^http:\/\/…@127\.0\.0\.1.* is no address for git/);
}, 30_000);
