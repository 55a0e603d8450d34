import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, resultsOf } from '../host/support.ts';

const SECRET = 'password=hunter2';
const DENY = ['Read(./secrets/**)', 'Read(.env)', 'Read(./app/keys/**)'];

/** Runs one call in a project with hidden files, in the mode that allows the most; all that the model reads of it. */
async function attempt(name: 'Glob' | 'Grep', input: JsonObject, rules = DENY): Promise<string> {
  const house = createHouse([[toolUse(name, input)], 'done']);
  for (const dir of ['secrets/deep', 'app/keys', 'src']) mkdirSync(join(house.dir, dir), { recursive: true });
  for (const hidden of ['secrets/a.txt', 'secrets/deep/b.txt', '.env', 'src/.env', 'app/keys/c.txt']) {
    house.file(hidden, `first\n${SECRET}\nlast\n`);
  }
  house.file('src/open.txt', 'first\npassword=none\nlast\n');
  symlinkSync('../secrets/a.txt', join(house.dir, 'src/innocent.txt'));
  symlinkSync('../secrets', join(house.dir, 'src/folder'));
  symlinkSync('../app', join(house.dir, 'src/app'));
  const client = house.connect({ permissionMode: 'bypassPermissions', disallowedTools: rules });
  await client.ask('go');
  const results = resultsOf(client.lines).map(({ content }) => String(content));
  const data = client.of('user').map(({ tool_use_result }) => JSON.stringify(tool_use_result));
  return [...results, ...data].join('\n');
}

describe('[R-10] a search cannot show or count what a Read rule hides', () => {
  test.each([
    ['files', { pattern: 'password' }],
    ['lines', { pattern: 'password', output_mode: 'content' }],
    ['lines around', { pattern: 'first|last', output_mode: 'content', '-C': 2 }],
    ['counts', { pattern: 'password', output_mode: 'count' }],
    ['matches over lines', { pattern: 'first.password', output_mode: 'content', multiline: true }],
    ['a glob that names them', { pattern: 'password', output_mode: 'content', glob: '**/secrets/**' }],
    ['a glob for hidden files', { pattern: 'password', output_mode: 'content', glob: '.env' }],
    ['through ..', { pattern: 'password', output_mode: 'content', path: 'src/..' }],
    ['from above', { pattern: 'password', output_mode: 'content', path: '..' }],
    ['a directory reached by a link', { pattern: 'password', output_mode: 'content', path: 'src/app' }],
  ])('Grep: %s', async (_name, input) => {
    const seen = await attempt('Grep', input);
    expect(seen).not.toMatch(/hunter2|secrets\/|\.env|keys\//);
    expect(seen).not.toMatch(/Permission|denied/);
  });

  test('Grep: what is open is found beside it, and only that is counted', async () => {
    expect(await attempt('Grep', { pattern: 'password', output_mode: 'count' })).toMatch(/"numMatches":1\b/);
    expect(await attempt('Grep', { pattern: 'password' })).toContain('Found 1 file\nsrc/open.txt');
  });

  test.each([
    ['the file', { pattern: 'password', path: 'secrets/a.txt' }],
    ['a link to it', { pattern: 'password', path: 'src/innocent.txt' }],
    ['its directory', { pattern: 'password', path: 'secrets' }],
    ['below its directory', { pattern: 'password', path: 'src/../secrets/deep' }],
    ['a link to its directory', { pattern: 'password', path: 'src/folder' }],
    ['another case', { pattern: 'password', path: 'SECRETS/a.txt' }],
  ])('Grep: %s by name is refused', async (_name, input) => {
    const seen = await attempt('Grep', { ...input, output_mode: 'content' });
    expect(seen).toContain('was denied');
    expect(seen).not.toContain('hunter2');
  });

  test.each(['**/*', '**/*.txt', 'secrets/**', '**/.env', 'src/../secrets/*', '../**/a.txt'])(
    'Glob: %s',
    async (pattern) => {
      const seen = await attempt('Glob', { pattern });
      // The words of a refusal name the rule and the path that was asked for, no file that was found.
      expect(seen.replaceAll(/Permission to use.*/g, '')).not.toMatch(/secrets\/(a|deep)|\.env"|keys\/c/);
    },
  );

  test('Glob: what is open is found', async () => {
    expect(await attempt('Glob', { pattern: '**/*.txt' })).toMatch(/"numFiles":1,"truncated":false/);
  });

  test('a rule that cannot be understood closes every search', async () => {
    const seen = await attempt('Grep', { pattern: 'password', output_mode: 'content' }, ['Read({a,b}/**)']);
    expect(seen).toContain('was denied');
  });
});
