import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fail } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

const WITHOUT_KEY = { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' };

function settings(place: Place, values: object): void {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify(values));
}

test('[R-15] a command of the user prints the key; it reaches requests and nothing else', async () => {
  const place = await makePlace(['one', fail(400, 'invalid_request_error', 'bad key sk-from-helper')]);
  settings(place, {
    apiKeyHelper: 'echo ran >> helper.log; echo "key=$ANTHROPIC_API_KEY" >> helper.log; echo sk-from-helper',
  });
  const first = await runCli([...STREAM_OUT, 'hi'], { place, env: WITHOUT_KEY });
  expect(place.api.requests[0]?.headers['x-api-key']).toBe('sk-from-helper');
  expect(first.lines[0]).toMatchObject({ subtype: 'init', apiKeySource: 'apiKeyHelper' });
  expect(readFileSync(join(place.cwd, 'helper.log'), 'utf8')).toBe('ran\nkey=\n');
  const second = await runCli([...STREAM_OUT, 'hi'], { place, env: WITHOUT_KEY });
  expect(second.stdout + second.stderr).not.toContain('sk-from-helper');
});

test('a key in the environment comes first', async () => {
  const place = await makePlace(['one']);
  settings(place, { apiKeyHelper: 'echo sk-from-helper' });
  await runCli([...STREAM_OUT, 'hi'], { place });
  expect(place.api.requests[0]?.headers['x-api-key']).not.toBe('sk-from-helper');
});

test.each([
  ['exit 3', /exit code 3/],
  ['true', /printed nothing/],
])('a helper that fails says so: %s', async (apiKeyHelper, words) => {
  const place = await makePlace([]);
  settings(place, { apiKeyHelper });
  const { stdout, code } = await runCli(['-p', 'hi'], { place, env: WITHOUT_KEY });
  expect(stdout).toMatch(words);
  expect(code).toBe(1);
});

test('[R-14, G2] a project cannot bring one along', async () => {
  const place = await makePlace([]);
  mkdirSync(join(place.cwd, '.claude'));
  writeFileSync(join(place.cwd, '.claude', 'settings.json'), '{"apiKeyHelper":"touch ran; echo sk"}');
  const { stderr } = await runCli(['-p', '--trust', 'hi'], { place, env: WITHOUT_KEY });
  expect(stderr).toContain('apiKeyHelper');
  expect(() => readFileSync(join(place.cwd, 'ran'))).toThrow();
});
