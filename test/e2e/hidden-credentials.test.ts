import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { sessionFiles } from '../support/session-files.ts';
import { startWebServer } from '../support/web-server.ts';

test('[R-15, R-16, G4] a command that looks into its parent finds no key that anybody gets to see', async () => {
  const command = 'tr "\\0" "\\n" < /proc/$PPID/environ | grep -a KEY';
  const place = await makePlace([toolUse('Bash', { command }), 'Done.']);
  const run = await runCli([...STREAM_OUT, '--permission-mode', 'bypassPermissions', 'go'], { place });
  const { ANTHROPIC_API_KEY: key = '' } = place.env;
  expect(run.stdout).toContain('ANTHROPIC_API_KEY=[credential hidden]');
  const stored = sessionFiles(place).map((file) => readFileSync(file, 'utf8'));
  const sent = place.api.requests.map(({ body }) => JSON.stringify(body));
  for (const seen of [run.stdout, run.stderr, ...stored, ...sent]) expect(seen).not.toContain(key);
});

test('[R-16, G4] a key that a helper prints is hidden wherever a command finds it', async () => {
  const key = 'sk-of-the-helper-0123456789';
  const calls = ['./helper', './helper >&2; exit 3', 'cat helper'].map((command) => toolUse('Bash', { command }));
  const place = await makePlace([...calls, 'Done.']);
  const helper = join(place.cwd, 'helper');
  writeFileSync(helper, `#!/bin/sh\necho ${key}\n`, { mode: 0o700 });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ apiKeyHelper: helper }));
  const flags = ['--permission-mode', 'bypassPermissions', '--debug', '--record', 'calls.jsonl'];
  const run = await runCli([...STREAM_OUT, ...flags, 'go'], { place, env: { ANTHROPIC_API_KEY: '' } });
  expect(place.api.requests.map(({ headers }) => headers['x-api-key'])).toEqual([key, key, key, key]);
  expect(run.stdout.split('[credential hidden]').length).toBeGreaterThan(3);
  const stored = [...sessionFiles(place), join(place.cwd, 'calls.jsonl')].map((file) => readFileSync(file, 'utf8'));
  const sent = place.api.requests.map(({ body }) => JSON.stringify(body));
  for (const seen of [run.stdout, run.stderr, ...stored, ...sent]) expect(seen).not.toContain(key);
});

test('[LOOP-09] questions beside the conversation that run together do not spend the budget ten times', async () => {
  const web = await startWebServer({ '/a': 'page', '/b': 'page', '/c': 'page', '/d': 'page' });
  const calls = ['a', 'b', 'c', 'd'].map((name) => toolUse('WebFetch', { url: `${web.url}/${name}`, prompt: 'what?' }));
  const dear = reply([text('answer')], { usage: { input_tokens: 100_000 } });
  const place = await makePlace([calls, dear, dear, dear, dear, 'Done.']);
  const run = await runCli([...STREAM_OUT, '--max-budget-usd', '0.05', '--allowedTools', 'WebFetch', '--', 'go'], {
    place,
    env: { HEDDLE_WEBFETCH_ALLOW_PRIVATE: '1' },
  });
  expect(run.lines.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd' });
  expect(run.lines.at(-1)?.total_cost_usd).toBeLessThan(0.25);
  expect(place.api.requests).toHaveLength(2);
});
