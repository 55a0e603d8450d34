import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { CLI, runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const userFile = (place: Place) => join(place.home, 'settings.json');
const explain = (place: Place, tool: string, input: object, ...flags: string[]) => {
  const args = ['permissions', 'explain', '--tool', tool, '--input', JSON.stringify(input), ...flags];
  return runCli(args, { place });
};

describe('heddle permissions explain', () => {
  test('deny: exit 2, with the rule and its file', async () => {
    const place = await makePlace();
    put(userFile(place), { permissions: { deny: ['Bash(rm:*)'] } });
    const run = await explain(place, 'Bash', { command: 'nohup rm -rf x' }, '--permission-mode', 'bypassPermissions');
    expect(run.stdout).toBe(
      [
        'deny',
        'layer:  deny-rule',
        'rule:   Bash(rm:*)',
        `where:  ${userFile(place)}: permissions.deny`,
        'reason: The rule Bash(rm:*) denies it: it matches the command.',
        '',
      ].join('\n'),
    );
    expect(run).toMatchObject({ code: 2, stderr: '' });
    expect(existsSync(join(place.home, 'projects'))).toBe(false); // no session was opened
  });

  test('allow: exit 0, with the flag', async () => {
    const place = await makePlace();
    const run = await explain(place, 'Bash', { command: 'touch x' }, '--json', '--allowedTools', 'Bash(touch:*)');
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ behavior: 'allow', rule: 'Bash(touch:*)', where: '--allowedTools' });
    expect(existsSync(join(place.cwd, 'x'))).toBe(false); // nothing is run
  });

  test('ask: exit 3, with the reason', async () => {
    const place = await makePlace();
    const run = await explain(place, 'Write', { file_path: '/etc/x', content: '' }, '--permission-mode', 'acceptEdits');
    expect(run).toMatchObject({ code: 3, stdout: expect.stringContaining('/etc/x is outside the directories') });
    const inside = { file_path: join(place.cwd, 'x'), content: '' };
    expect((await explain(place, 'Write', inside, '--permission-mode', 'acceptEdits')).code).toBe(0);
    expect((await explain(place, 'Read', { file_path: '/etc/x' })).code).toBe(3);
    expect((await explain(place, 'Read', { file_path: '/etc/x' }, '--add-dir', '/etc')).code).toBe(0);
  });

  test('ask: names the part that nothing covers, and the rule that would', async () => {
    const place = await makePlace();
    const command = 'npm test && git push';
    const run = await explain(place, 'Bash', { command }, '--allowedTools', 'Bash(npm test)');
    expect(run.stdout).toBe(
      [
        'ask',
        'layer:  default',
        'reason: `git push` is not covered: not known to only read, and no rule allows it.' +
          " To allow it: --allowedTools 'Bash(git push)'",
        '',
      ].join('\n'),
    );
  });

  test.each<[tool: string, input: Record<string, string>, ...flags: string[]]>([
    ['Bash', { command: 'npm test && git push' }],
    ['Bash', { command: 'npm test && git push' }, '--allowedTools', 'Bash(npm test)'],
    ['Bash', { command: 'npm run build > out.txt' }],
    ['Bash', { command: 'FOO=1 make' }],
    ['Bash', { command: `git commit -m "it's (done)"` }],
    ['Bash', { command: 'bash -c "git push"' }],
    ['Bash', { command: 'make "$TARGET"' }],
    ['Bash', { command: 'touch made' }],
    ['Bash', { command: 'touch /opt/made' }],
    ['Bash', { command: 'touch /opt/made' }, '--permission-mode', 'acceptEdits'],
    ['Write', { file_path: 'made', content: '' }],
    ['Write', { file_path: '/opt/made', content: '' }],
    ['Read', { file_path: '/opt/made' }],
    ['WebFetch', { url: 'https://example.com/', prompt: 'x' }],
    ['WebSearch', { query: 'looms' }],
  ])('%s %j %s: what it says would allow it does, taken by a shell as it stands', async (tool, input, ...flags) => {
    const place = await makePlace();
    const asked = await explain(place, tool, input, ...flags);
    expect(asked.code).toBe(3);
    const offered = /To allow it: (.*)$/m.exec(asked.stdout)?.[1] ?? '';
    const args = ['permissions', 'explain', '--tool', tool, '--input', JSON.stringify(input), ...flags];
    const { status, stdout } = spawnSync('sh', ['-c', `exec "$@" ${offered}`, 'sh', process.execPath, CLI, ...args], {
      cwd: place.cwd,
      env: place.env,
      encoding: 'utf8',
    });
    expect({ status, stdout, offered }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^allow\n/) });
  });

  test('[G1] project rules count as far as the project is trusted', async () => {
    const place = await makePlace();
    const file = join(place.cwd, '.claude', 'settings.json');
    put(file, { permissions: { allow: ['Bash'], deny: ['Read(secret)'] } });
    const touch = { command: 'touch x' };
    expect((await explain(place, 'Bash', touch)).code).toBe(3);
    expect((await explain(place, 'Bash', touch, '--trust')).stdout).toContain(`${file}: permissions.allow`);
    expect((await explain(place, 'Bash', touch, '--setting-sources', 'project')).code).toBe(0);
    expect((await explain(place, 'Read', { file_path: join(place.cwd, 'secret') })).code).toBe(2);
    const managed = JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } });
    expect((await explain(place, 'Bash', touch, '--trust', '--managed-settings', managed)).code).toBe(2);
  });

  test.each([
    [['--tool', 'Bahs'], /There is no tool Bahs here\. Did you mean Bash\?/],
    [['--tool', 'Bash', '--input', '{'], /needs JSON/],
    [['--tool', 'Bash', '--input', '{}'], /not valid for Bash/],
    [[], /--tool' is missing/],
    [['--tool', 'Bash', '--allowedTools', 'Bash(x'], /never closed/],
    [['--tool', 'Bash', '--model', 'x'], /unknown option '--model'/],
  ])('%j: exit 1', async (args, error) => {
    const place = await makePlace();
    const run = await runCli(['permissions', 'explain', ...args], { place });
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(error) });
  });

  /** What is explained is what happens, for commands of every kind. */
  test.each([
    'echo hi',
    'touch x',
    'echo hi > x',
    'cat /etc/hosts',
    'rm x && echo done',
    'for f in *; do rm $f; done',
    'echo $(rm x)',
    'git status | cat',
    'bash -c "rm x"',
    'eval "$X"',
  ])('%s: says what a run does', async (command) => {
    const place = await makePlace([toolUse('Bash', { command }), 'Done.']);
    put(userFile(place), { permissions: { deny: ['Bash(rm:*)'], allow: ['Bash(touch:*)'] } });
    const { code } = await explain(place, 'Bash', { command });
    const { stdout } = await runCli(['-p', 'go', '--output-format', 'json'], { place });
    const { permission_denials: denials } = JSON.parse(stdout);
    expect(denials).toHaveLength(code === 0 ? 0 : 1);
  });
});
