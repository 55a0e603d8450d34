import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, resultsOf } from '../host/support.ts';
import { GLOBS, HIDING_FILES, HIDING_LINKS, HIDING_RULES, NAMED_SEARCHES, SEARCHES } from '../support/hidden-files.ts';

/** Runs one call in a project with hidden files, in the mode that allows the most; all that the model reads of it. */
async function attempt(name: 'Glob' | 'Grep', input: JsonObject, rules = HIDING_RULES): Promise<string> {
  const house = createHouse([[toolUse(name, input)], 'done']);
  for (const dir of ['secrets/deep', 'app/keys', 'src']) mkdirSync(join(house.dir, dir), { recursive: true });
  for (const [name, content] of Object.entries(HIDING_FILES)) house.file(name, content);
  for (const [name, target] of Object.entries(HIDING_LINKS)) symlinkSync(target, join(house.dir, name));
  const client = house.connect({ permissionMode: 'bypassPermissions', disallowedTools: rules });
  await client.ask('go');
  const results = resultsOf(client.lines).map(({ content }) => String(content));
  const data = client.of('user').map(({ tool_use_result }) => JSON.stringify(tool_use_result));
  return [...results, ...data].join('\n');
}

describe('[R-10] a search cannot show or count what a Read rule hides', () => {
  test.each(SEARCHES)('Grep: %s', async (_name, input) => {
    const seen = await attempt('Grep', input);
    expect(seen).not.toMatch(/hunter2|secrets\/|\.env|keys\//);
    expect(seen).not.toMatch(/Permission|denied/);
  });

  test('Grep: what is open is found beside it, and only that is counted', async () => {
    expect(await attempt('Grep', { pattern: 'password', output_mode: 'count' })).toMatch(/"numMatches":1\b/);
    expect(await attempt('Grep', { pattern: 'password' })).toContain('Found 1 file\nsrc/open.txt');
  });

  test.each(NAMED_SEARCHES)('Grep: %s by name is refused', async (_name, input) => {
    const seen = await attempt('Grep', { ...input, output_mode: 'content' });
    expect(seen).toContain('was denied');
    expect(seen).not.toContain('hunter2');
  });

  test.each(GLOBS)('Glob: %s', async (pattern) => {
    const seen = await attempt('Glob', { pattern });
    // The words of a refusal name the rule and the path that was asked for, no file that was found.
    expect(seen.replaceAll(/Permission to use.*/g, '')).not.toMatch(/secrets\/(a|deep)|\.env"|keys\/c/);
  });

  test('Glob: what is open is found', async () => {
    expect(await attempt('Glob', { pattern: '**/*.txt' })).toMatch(/"numFiles":1,"truncated":false/);
  });

  test('a rule that cannot be understood closes every search', async () => {
    const seen = await attempt('Grep', { pattern: 'password', output_mode: 'content' }, ['Read({a,b}/**)']);
    expect(seen).toContain('was denied');
  });
});
