import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { initOf, resultOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { describeSandboxed, outsideFile } from '../support/sandbox.ts';
import { tryCalls } from '../support/try-calls.ts';
import { figure } from './figures.ts';
import { tally } from './tally.ts';

describe('where nobody can be asked', () => {
  const MOST_MS = 1000;
  const calls = [
    toolUse('Bash', { command: 'touch made' }),
    toolUse('Bash', { command: 'sleep 600; touch made' }),
    toolUse('Write', { file_path: 'made', content: 'x' }),
    toolUse('Edit', { file_path: 'made', old_string: '', new_string: 'x' }),
    toolUse('NotebookEdit', { notebook_path: 'made', new_source: 'x', edit_mode: 'insert', cell_type: 'code' }),
    toolUse('WebFetch', { url: 'http://127.0.0.1:1/', prompt: 'x' }),
    toolUse('Read', { file_path: '/etc/passwd' }),
  ];

  const asking = JSON.stringify({
    permissions: { ask: ['Bash', 'Write', 'Edit', 'Read', 'WebFetch', 'NotebookEdit'] },
  });

  test.each([
    { how: 'a prompt', flags: ['go'] },
    { how: 'a stream', flags: ['--input-format', 'stream-json'] },
    { how: 'rules that ask', flags: ['go', '--permission-mode', 'bypassPermissions', '--settings', asking] },
  ])('[R-19] an ask is a denial at once, and recorded: $how', async ({ how, flags }) => {
    const at: number[] = [];
    const place = await makePlace((_request, index) => {
      at.push(performance.now());
      return calls[index] ?? 'Done.';
    });
    const stdin =
      how === 'a stream' ? `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n` : '';
    const result = resultOf((await runCli([...STREAM_OUT, ...flags], { place, stdin })).lines);
    expect(result).toMatchObject({ result: 'Done.' });
    expect(result.permission_denials).toHaveLength(calls.length);
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    const slowest = Math.max(...at.slice(1).map((time, index) => time - (at[index] ?? 0)));
    figure('R-19', `${calls.length} asks (${how}), each denied within ${Math.ceil(slowest)} ms and recorded`);
    expect(slowest).toBeLessThan(MOST_MS);
  });
});

describe('what is said of the sandbox', () => {
  const check = tally(['R-20'], 'launches', 'with a sandbox other than stated');
  const settings = (sandbox: object) => ['--settings', JSON.stringify({ sandbox })];

  test.each([{}, { enabled: false }, { autoAllowBashIfSandboxed: true }])(
    '[R-20] off unless it is set, and stated: %j',
    async (given) => {
      const outside = outsideFile();
      const { lines } = await tryCalls(() => [toolUse('Bash', { command: `touch ${outside}` })], {
        flags: [...settings(given), '--permission-mode', 'bypassPermissions'],
      });
      const { sandbox } = initOf(lines) as unknown as { sandbox?: { enabled?: boolean } };
      check(sandbox?.enabled === false && existsSync(outside) ? [] : [JSON.stringify(sandbox)]);
    },
  );

  test.each(['/no/such/directory', ''])(
    '[R-20] asked for and not to be had: it does not start, PATH=%j',
    async (PATH) => {
      const { code, stdout, stderr, place } = await tryCalls(() => [], {
        flags: settings({ enabled: true }),
        env: { PATH },
      });
      const isRefused = code === 1 && stdout === '' && /sandbox cannot be used/.test(stderr);
      check(isRefused && place.api.requests.length === 0 ? [] : [`${code} ${stdout} ${stderr}`]);
    },
  );

  describeSandboxed('where there is one', () => {
    test('[R-20] stated as on, it is on', async () => {
      const outside = outsideFile();
      const { lines, place } = await tryCalls(() => [toolUse('Bash', { command: `touch in; touch ${outside}` })], {
        flags: [...settings({ enabled: true }), '--permission-mode', 'bypassPermissions'],
      });
      const isConfined = existsSync(join(place.cwd, 'in')) && !existsSync(outside);
      check(isConfined ? [] : ['the command was not confined']);
      expect(initOf(lines)).toMatchObject({ sandbox: { enabled: true, provider: expect.any(String) } });
    });
  });
});
