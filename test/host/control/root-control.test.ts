import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createHouse, type House, tempDir } from '../support.ts';

const register = (directory: string, more: JsonObject = {}) => ({ subtype: 'register_repo_root', directory, ...more });

function makeFolder(parent: string, name: string): string {
  const path = join(parent, name);
  mkdirSync(path, { recursive: true });
  return path;
}

test('[B-171] a directory below the working directory is worked in from now on; hooks hear of it', async () => {
  const house = createHouse(['fine']);
  const loom = makeFolder(house.dir, 'repos/loom');
  const heard: unknown[] = [];
  const answer = ({ input }: JsonObject) => {
    heard.push((input as JsonObject).directory_path);
    return {};
  };
  const client = house.connect({}, { answer });
  const hooks = { DirectoryAdded: [{ hookCallbackIds: ['hook_0'] }] };
  await client.control({ subtype: 'initialize', hooks });
  await client.ask('begin');
  expect(await client.control(register('repos/loom'))).toMatchObject({
    subtype: 'success',
    response: { directory: loom },
  });
  await client.ask('go on');
  expect(heard).toEqual([loom]);
});

test('[B-171] its memory file is told with the next request, when that is asked for', async () => {
  const house = createHouse(['fine', 'fine']);
  writeFileSync(join(house.dir, 'CLAUDE.md'), 'of the whole');
  writeFileSync(join(makeFolder(house.dir, 'a'), 'CLAUDE.md'), 'of a alone');
  writeFileSync(join(makeFolder(house.dir, 'b'), 'CLAUDE.md'), 'of b alone');
  const client = house.connect({ settingSources: ['project'] });
  await client.control(register('a', { reload_claude_md: true, reload_skills: true }));
  await client.control(register('b'));
  await client.ask('go');
  const request = JSON.stringify(house.model.requests[0]?.messages);
  expect(request).toContain('of a alone');
  expect(request).not.toContain('of b alone');
});

test.each<[string, (house: House) => string]>([
  ['above', ({ dir }) => join(dir, '..')],
  ['beside, with a name that begins alike', ({ dir }) => makeFolder(join(dir, '..'), 'project-two')],
  ['elsewhere', () => tempDir()],
  ['the working directory itself', ({ dir }) => dir],
  ['a link that leads elsewhere', ({ dir }) => link(tempDir(), join(dir, 'out'))],
  ['by a way that leaves again', ({ dir }) => `${makeFolder(dir, 'in')}/../..`],
  ['what is not there', () => 'nowhere'],
  ['a file', (house) => house.file('a.txt', 'x')],
  ['nothing', () => ''],
])('[B-171] %s is refused, and stays out of reach', async (_what, place) => {
  const house = createHouse([]);
  const directory = place(house);
  const client = house.connect({ permissionMode: 'acceptEdits' });
  expect(await client.control(register(directory))).toMatchObject({ subtype: 'error' });
});

test('[B-171] what lay outside before is still asked for', async () => {
  const outside = tempDir();
  const house = createHouse([toolUse('Write', { file_path: join(outside, 'a.txt'), content: 'x' }), 'understood']);
  const client = house.connect({ permissionMode: 'acceptEdits' });
  await client.control(register(link(outside, join(house.dir, 'out'))));
  expect((await client.ask('go')).permission_denials).toHaveLength(1);
});

test('[B-171] a second time is an error', async () => {
  const house = createHouse([]);
  makeFolder(house.dir, 'a');
  const client = house.connect();
  expect(await client.control(register('a'))).toMatchObject({ subtype: 'success' });
  expect(await client.control(register('./a/'))).toMatchObject({ subtype: 'error', error_code: 'invalid_directory' });
});

function link(target: string, path: string): string {
  symlinkSync(target, path);
  return path;
}
