import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../../src/host/index.ts';
import { tempDir } from '../support.ts';

function project() {
  const dir = tempDir();
  const cwd = join(dir, 'work');
  const put = (name: string, values: object) => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(values));
    return path;
  };
  mkdirSync(cwd);
  const user = put('home/.heddle/settings.json', { model: 'opus', env: { MY_TOKEN: 'secret' } });
  const shared = put('work/.claude/settings.json', { permissions: { allow: ['Bash'], deny: ['Read(.env)'] } });
  return { cwd, env: { HOME: join(dir, 'home') }, user, shared };
}

describe('[B-106] resolveSettings', () => {
  test('tells what a session there would have, and where it stands, without credentials', async () => {
    const { cwd, env, user, shared } = project();
    const resolved = await resolveSettings({ cwd, env, settings: { model: 'haiku' } });
    expect(resolved).toMatchObject({
      effective: { model: 'haiku', env: { MY_TOKEN: '***' }, permissions: { deny: ['Read(.env)'] } },
      sources: [
        { source: 'flagSettings', settings: { model: 'haiku' } },
        { source: 'projectSettings', path: shared },
        { source: 'userSettings', path: user },
      ],
      provenance: expect.arrayContaining([
        { key: 'model', value: 'haiku', scope: 'flag', source: '--settings', hasEffect: true },
        { key: 'permissions.deny', value: 'Read(.env)', scope: 'project', source: shared, hasEffect: true },
      ]),
      ignored: [{ file: shared, keys: ['permissions.allow'], reason: 'the directory is not trusted' }],
      trust: 'untrusted',
    });
    expect(JSON.stringify(resolved)).not.toContain('secret');
  });

  test('[G1] the project acts where it is named or trusted; only the named files are read', async () => {
    const { cwd, env } = project();
    const permissions = { allow: ['Bash'], deny: ['Read(.env)'] };
    expect(await resolveSettings({ cwd, env, settingSources: ['project'] })).toMatchObject({
      effective: { permissions },
      trust: 'trusted',
    });
    expect((await resolveSettings({ cwd, env, trust: true })).effective).toMatchObject({ permissions, model: 'opus' });
    expect((await resolveSettings({ cwd, env, settingSources: [] })).effective).toEqual({});
    expect((await resolveSettings({ cwd })).effective).toEqual({ permissions: { deny: ['Read(.env)'] } });
  });

  test('what cannot be read is an error', async () => {
    const { cwd, env, user } = project();
    writeFileSync(user, '{oops');
    await expect(resolveSettings({ cwd, env })).rejects.toMatchObject({ code: 'invalid_settings' });
    await expect(resolveSettings({ cwd: join(cwd, 'nowhere') })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});
