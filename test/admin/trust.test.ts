import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { trustDirectory } from '../../src/admin/trust.ts';
import { trustOf } from '../../src/config/trust-store.ts';
import { viewTrust } from '../../src/host/launch/view-trust.ts';
import { tempDir } from '../host/support.ts';

function project(values: object) {
  const directory = join(tempDir(), 'project');
  const home = join(directory, '..', 'home');
  const put = (name: string, content: object) => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(content));
  };
  put('.claude/settings.json', values);
  return { directory, home, put };
}

test('[G1] only what was looked at is trusted, not what came in its place meanwhile', async () => {
  const { directory, home, put } = project({ permissions: { allow: ['Read'] } });
  const view = viewTrust(directory, home);
  put('.claude/settings.json', { permissions: { allow: ['Bash'] } });
  await trustDirectory(view, home);
  expect(trustOf(directory, home)).toBe('changed');
});

test('everything that would act is shown, in full', () => {
  const long = 'x'.repeat(1000);
  const { directory, home, put } = project({
    permissions: { allow: ['Bash'], deny: ['Read(.env)'], defaultMode: 'acceptEdits' },
    env: { GIT_KEY_COMMAND: long, ANTHROPIC_BASE_URL: 'http://x' },
    'a.b': { c: 1 },
    statusLine: {},
  });
  put('.mcp.json', { mcpServers: { one: { command: 'x' } } });
  expect(viewTrust(directory, home).files).toEqual([
    {
      file: join('.claude', 'settings.json'),
      needsTrust: [
        { key: 'permissions.allow', value: 'Bash' },
        { key: 'permissions.defaultMode', value: 'acceptEdits' },
        { key: 'env.GIT_KEY_COMMAND', value: long },
        { key: '"a.b".c', value: 1 },
      ],
      never: ['env.ANTHROPIC_BASE_URL'],
    },
    { file: '.mcp.json', needsTrust: [{ key: 'mcpServers.one.command', value: 'x' }], never: [] },
  ]);
});
