import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHouse, type House, tempDir } from '../host/support.ts';
import { afterTest } from '../support/after-test.ts';
import { put } from '../support/put.ts';
import { tar, zip } from './archives.ts';
import { treeOf } from './support.ts';

const archive = zip([
  { path: 'kit/.claude-plugin/plugin.json', data: '{"name":"kit"}' },
  { path: 'kit/commands/hello.md', data: 'Hello' },
]);

async function initWith(house: House, config: object) {
  const client = house.connect(config);
  await client.ask('1');
  return client.of('system/init').at(-1) as Record<string, unknown>;
}

describe('--plugin-dir', () => {
  test('takes archives, which are unpacked again when the copy was changed', async () => {
    const house = createHouse(['one', 'two']);
    const file = join(tempDir(), 'kit.zip');
    writeFileSync(file, archive);
    expect(await initWith(house, { pluginDir: [file] })).toMatchObject({ plugins: [{ name: 'kit' }] });
    const unpacked = join(house.dir, '../.heddle/plugins/heddle-unpacked');
    const [command = ''] = treeOf(unpacked).filter((path) => path.endsWith('hello.md'));
    put(join(unpacked, command), 'Evil');
    await initWith(house, { pluginDir: [file] });
    expect(readFileSync(join(unpacked, command), 'utf8')).toBe('Hello');
  });

  test('takes a folder that holds plugins, and says which of them cannot be read', async () => {
    const house = createHouse(['one']);
    const all = tempDir();
    for (const name of ['one', 'two']) put(join(all, name, '.claude-plugin/plugin.json'), { name });
    put(join(all, 'three/.claude-plugin/plugin.json'), '{');
    put(join(all, 'no-plugin/x'), 'x');
    expect(await initWith(house, { pluginDir: [all] })).toMatchObject({
      plugins: [{ name: 'one' }, { name: 'two' }],
      plugin_errors: [{ plugin: `${all} (three)`, type: 'load-failed' }],
    });
  });

  test('a hostile archive is an error of the plugin, and the session starts', async () => {
    const house = createHouse(['one']);
    const file = join(tempDir(), 'kit.tgz');
    writeFileSync(file, tar([{ path: '../../evil' }]));
    expect(await initWith(house, { pluginDir: [file] })).toMatchObject({
      plugins: [],
      plugin_errors: [{ plugin: file, message: expect.stringContaining("no '..' in a path") }],
    });
  });
});

test('--plugin-url fetches an archive for this run; with a hash only that content', async () => {
  const server = createServer((_request, response) => response.end(archive));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit.zip`;
  const house = createHouse(['one', 'two', 'three']);
  const hash = createHash('sha256').update(archive).digest('hex');
  expect(await initWith(house, { pluginUrl: [`${url}#sha256=${hash}`] })).toMatchObject({ plugins: [{ name: 'kit' }] });
  expect(await initWith(house, { pluginUrl: [`${url}#sha256=${'0'.repeat(64)}`] })).toMatchObject({
    plugins: [],
    plugin_errors: [{ message: expect.stringContaining('it is not what was listed') }],
  });
  expect(await initWith(house, { pluginUrl: ['http://example.com/kit.zip'] })).toMatchObject({
    plugin_errors: [{ message: expect.stringContaining('no https address') }],
  });
});
