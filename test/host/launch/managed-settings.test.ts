import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/host/launch/load-settings.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { PermissionUpdate } from '../../../src/wire/permissions.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { type Answer, createHouse, type House, tempDir } from '../support.ts';

function readManagedSettings(given: string | undefined, cwd = '/') {
  const notes: string[] = [];
  const config = { ...(given !== undefined && { managedSettings: given }) };
  const log = (level: string, message: string) => notes.push(`${level}: ${message}`);
  const { settings } = loadSettings(
    { config, scopes: [], changes: {}, trustedByLaunch: null },
    { cwd, configHome: null },
    log,
  );
  const lists = settings.rules.map(({ behavior, texts }) => [behavior, texts]);
  return { managed: { ...Object.fromEntries(lists), isBypassDisabled: settings.isBypassDisabled }, notes };
}

const settings = (permissions: object) => JSON.stringify({ permissions });

describe('--managed-settings', () => {
  test('[B-070] is JSON, or the path of a JSON file', () => {
    const dir = tempDir();
    const given = settings({ deny: ['Bash(rm:*)'], ask: ['Write'], disableBypassPermissionsMode: 'disable' });
    writeFileSync(join(dir, 'managed.json'), given);
    const expected = { deny: ['Bash(rm:*)'], ask: ['Write'], isBypassDisabled: true };
    expect(readManagedSettings(given).managed).toEqual(expected);
    expect(readManagedSettings('managed.json', dir).managed).toEqual(expected);
  });

  test('restricts nothing when it is absent or empty', () => {
    const empty = '{"$schema":"x","hooks":{},"allowManagedHooksOnly":false,"permissions":{"additionalDirectories":[]}}';
    for (const given of [undefined, '{}', empty]) {
      expect(readManagedSettings(given)).toEqual({ managed: { isBypassDisabled: false }, notes: [] });
    }
  });

  test('[B-070] only restricts: an allow list has no effect, and that is said', () => {
    const { managed, notes } = readManagedSettings(settings({ allow: ['Bash'], deny: ['Write'] }));
    expect(managed).toEqual({ deny: ['Write'], isBypassDisabled: false });
    expect(notes).toEqual([expect.stringMatching(/^warn: permissions\.allow .* has no effect/)]);
  });

  test.each([
    ['{"sandbox":{"enabled":true}}', 'sandbox is not supported'],
    ['{"hooks":[]}', 'hooks must be an object'],
    ['{"hooks":{"PreToolUse":[{"hooks":[{"type":"comand","command":"x"}]}]}}', 'there are no hooks of type "comand"'],
    ['{"hooks":{"PreToolUse":{}}}', 'hooks.PreToolUse must be a list'],
    ['{"disableAllHooks":"yes"}', 'disableAllHooks must be true or false'],
    [settings({ deny: ['Bash('] }), 'its parenthesis is never closed'],
    [settings({ defaultMode: 'plan' }), 'permissions.defaultMode is not supported'],
    [settings({ disableBypassPermissionsMode: 'yes' }), 'must be "disable"'],
    [settings({ deny: 'Bash' }), 'permissions.deny must be a list'],
    ['{"permissions":[]}', 'permissions must be an object'],
    ['{"permissions":', 'not valid JSON'],
    ['nowhere.json', 'nowhere.json'],
  ])('[B-070, R-18, K53] %s is an error: nothing runs with fewer restrictions than asked', (given, words) => {
    const reading = () => readManagedSettings(given, tempDir());
    expect(reading).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
    expect(reading).toThrow(words);
  });
});

describe('[B-070] in a session', () => {
  const write = toolUse('Write', { file_path: 'a.txt', content: 'x\n' });
  const denying: RunConfig = { managedSettings: settings({ deny: ['Edit(a.txt)'] }) };
  const isWritten = (house: House) => existsSync(join(house.dir, 'a.txt'));

  test.each<[string, RunConfig]>([
    ['in bypassPermissions', { permissionMode: 'bypassPermissions' }],
    ['against an allow rule of the command line', { allowedTools: ['Write'] }],
    ['against an allow rule of the settings', { settings: settings({ allow: ['Write'] }) }],
  ])('its deny rule holds %s', async (_what, config) => {
    const house = createHouse([write, 'done']);
    const result = await house.connect({ ...config, ...denying }).ask('go');
    expect(isWritten(house)).toBe(false);
    expect(result.permission_denials).toHaveLength(1);
  });

  test('no update of the host lifts it', async () => {
    const rules = [{ toolName: 'Edit', ruleContent: 'a.txt' }];
    const destinations = ['session', 'cliArg', 'userSettings'] as const;
    const updatedPermissions = destinations.map(
      (destination): PermissionUpdate => ({ type: 'removeRules', behavior: 'deny', rules, destination }),
    );
    const other = toolUse('Write', { file_path: 'b.txt', content: 'x\n' });
    const house = createHouse([other, write, 'done']);
    const answer: Answer = ({ input }) => ({ behavior: 'allow', updatedInput: input, updatedPermissions });
    await house.connect({ permissionPromptTool: 'stdio', ...denying }, { answer }).ask('go');
    expect(existsSync(join(house.dir, 'b.txt'))).toBe(true);
    expect(isWritten(house)).toBe(false);
  });

  test('an ask rule asks also for what is allowed', async () => {
    const house = createHouse([write, 'done']);
    const config = { allowedTools: ['Write'], managedSettings: settings({ ask: ['Write'] }) };
    await house.connect(config).ask('go');
    expect(isWritten(house)).toBe(false);
  });

  test.each<[string, RunConfig]>([
    ['at the start', { permissionMode: 'bypassPermissions' }],
    ['by the other flag', { dangerouslySkipPermissions: true }],
  ])('bypassPermissions can be ruled out %s', async (_what, config) => {
    const managedSettings = settings({ disableBypassPermissionsMode: 'disable' });
    const client = createHouse([]).connect({ ...config, managedSettings });
    expect(await client.end()).toMatchObject({ code: 1, stderr: expect.stringContaining('the settings disable it') });
  });

  test('and later', async () => {
    const managedSettings = settings({ disableBypassPermissionsMode: 'disable' });
    const client = createHouse([]).connect({ allowDangerouslySkipPermissions: true, managedSettings });
    const request = { subtype: 'set_permission_mode', mode: 'bypassPermissions' };
    expect(await client.control(request)).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('bypassPermissions was not permitted'),
    });
  });

  test('what cannot be honoured keeps the session from starting', async () => {
    const client = createHouse(['never']).connect({ managedSettings: '{"sandbox":{"enabled":true}}' });
    expect(await client.end()).toMatchObject({ code: 1, stderr: expect.stringContaining('sandbox is not supported') });
    expect(client.lines).toEqual([]);
  });
});
