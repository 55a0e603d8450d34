import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { actedOnKeys } from '../../../src/config/settings/settings.ts';
import { trustByLaunch } from '../../../src/config/trusted-by-launch.ts';
import { loadSettings } from '../../../src/host/launch/load-settings.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { isObject, type JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { put } from '../../support/put.ts';
import { createHouse, type House, tempDir } from '../support.ts';

/** Where a settings file can be, and how a launch comes to believe it. */
const PLACES = {
  user: (dir: string) => ({ file: join(dir, 'home', 'settings.json'), config: {} }),
  project: (dir: string) => ({ file: join(dir, 'work', '.claude', 'settings.json'), config: { trust: true } }),
  local: (dir: string) => ({ file: join(dir, 'work', '.claude', 'settings.local.json'), config: { trust: true } }),
  '--settings': (dir: string) => ({ file: join(dir, 'mine.json'), config: { settings: join(dir, 'mine.json') } }),
};

/** Reads one file as a launch would. The file has more in it than what is wrong. */
function read(place: keyof typeof PLACES, values: JsonObject, launch: RunConfig = {}) {
  const dir = tempDir();
  const { file, config } = PLACES[place](dir);
  put(file, values);
  put(join(dir, 'work', 'a.txt'), '');
  const places = { cwd: join(dir, 'work'), configHome: join(dir, 'home') };
  const notes: string[] = [];
  const trustedByLaunch = 'trust' in config ? trustByLaunch(places.cwd) : null;
  const load = () =>
    loadSettings(
      {
        config: { ...config, ...launch },
        scopes: ['userSettings', 'projectSettings', 'localSettings'],
        changes: {},
        trustedByLaunch,
      },
      places,
      (_level, message) => notes.push(message),
    ).settings;
  return { file, notes, load };
}

/** Adds what shall go on to act beside the faulty value. */
function besides(values: JsonObject): JsonObject {
  const { permissions = {}, env = {} } = values;
  return {
    ...values,
    permissions: isObject(permissions) ? { additionalDirectories: ['/kept'], ...permissions } : permissions,
    ...(isObject(env) && { env: { KEPT: 'yes', ...env } }),
    claudeMdExcludes: values.claudeMdExcludes ?? ['kept'],
  };
}

const within = (key: string, value: unknown): JsonObject => {
  const [first = '', second] = key.split('.');
  return second === undefined ? { [first]: value } : { [first]: { [second]: value } };
};

type Row = [key: string, value: unknown, said: string];

/** Each costs itself, and nothing else. */
const WARNED: Row[] = [
  ['env', 'A=1', 'env must be an object of texts, and is a text'],
  ['env', { A: {} }, 'env.A must be a text, and is an object'],
  ['env', { A: null }, 'env.A must be a text, and is null'],
  ['model', 7, 'model must be a text, and is 7'],
  ['fallbackModel', ['opus'], 'fallbackModel must be a text, and is a list'],
  ['effortLevel', true, 'effortLevel must be a text, and is true'],
  ['effortLevel', 'enormous', "effortLevel must be one of low, medium, high, xhigh, max, and is 'enormous'"],
  ['apiKeyHelper', {}, 'apiKeyHelper must be a text, and is an object'],
  ['awsAuthRefresh', 5, 'awsAuthRefresh must be a text, and is 5'],
  ['awsCredentialExport', [], 'awsCredentialExport must be a text, and is a list'],
  ['gcpAuthRefresh', true, 'gcpAuthRefresh must be a text, and is true'],
  ['modelProviders', 'x', 'modelProviders must be an object, and is a text'],
  ['modelPricing', 'x', 'modelPricing must be an object, and is a text'],
  ['modelOverrides', 'x', 'modelOverrides must be an object, and is a text'],
  ['modelCatalog', 'yes', 'modelCatalog must be true or false, and is a text'],
  ['autoCompactEnabled', 'yes', 'autoCompactEnabled must be true or false, and is a text'],
  ['fileCheckpointingEnabled', 1, 'fileCheckpointingEnabled must be true or false, and is 1'],
  ['terminal', 'x', 'terminal must be an object, and is a text'],
  ['statusLine', 'x', 'statusLine must be an object, and is a text'],
  ['statusLine', { type: 'prompt', command: 'x' }, 'statusLine must have the type "command"'],
  ['statusLine', { command: 5 }, 'statusLine.command must be a text, and is 5'],
  ['statusLine', { padding: -1 }, 'statusLine.padding must be a whole number from 0 to 40, and is -1'],
  ['statusLine', { refreshInterval: 0 }, 'statusLine.refreshInterval must be a number of seconds, 1 or more, and is 0'],
  ['statusLine', { hideVimModeIndicator: 1 }, 'statusLine.hideVimModeIndicator must be true or false, and is 1'],
  ['editorMode', 5, 'editorMode must be a text, and is 5'],
  ['vimInsertModeRemaps', 'jj', 'vimInsertModeRemaps must be an object, and is a text'],
  ['axScreenReader', 'yes', 'axScreenReader must be true or false, and is a text'],
  ['theme', 5, 'theme must be a text, and is 5'],
  [
    'preferredNotifChannel',
    'email',
    'preferredNotifChannel must be "auto", "iterm2", "iterm2_with_bell", "kitty", "ghostty", "terminal_bell", ' +
      '"notifications_disabled", and is a text',
  ],
  ['prefersReducedMotion', 'yes', 'prefersReducedMotion must be true or false, and is a text'],
  ['terminalProgressBarEnabled', 1, 'terminalProgressBarEnabled must be true or false, and is 1'],
  ['modelAliases', ['fast'], 'modelAliases must be an object, and is a list'],
  ['modelAliases', { fast: '' }, 'modelAliases.fast must be the name of a model'],
  ['modelLimits', 5, 'modelLimits must be an object, and is 5'],
  ['modelLimits', { x: 5 }, 'modelLimits.x must be an object with contextWindow and maxOutputTokens'],
  ['modelLimits', { x: { contextWindow: '5k' } }, 'modelLimits.x.contextWindow must be a whole number above 0'],
  ['hooks', [], 'hooks must be an object, and is a list'],
  ['outputStyle', 5, 'outputStyle must be a text, and is 5'],
  ['claudeMdExcludes', 'x', 'claudeMdExcludes must be a list of texts, and is a text'],
  ['claudeMdExcludes', ['kept', 1], 'claudeMdExcludes[1] must be a text, and is 1'],
  ['allowMcpSampling', true, 'allowMcpSampling must be a list of texts, and is true'],
  ['enabledPlugins', ['a@b'], 'enabledPlugins must be an object, and is a list'],
  ['extraKnownMarketplaces', 'x', 'extraKnownMarketplaces must be an object, and is a text'],
  ['pluginConfigs', 'x', 'pluginConfigs must be an object, and is a text'],
  ['enableAllProjectMcpServers', 'true', 'enableAllProjectMcpServers must be true or false, and is a text'],
  ['enabledMcpjsonServers', [{}], 'enabledMcpjsonServers[0] must be a text, and is an object'],
  ['permissions.allow', null, 'permissions.allow must be a list of texts, none of them empty, and is null'],
  ['permissions.allow', 'Bash', 'permissions.allow must be a list of texts, none of them empty, and is a text'],
  ['permissions.allow', [7], 'permissions.allow[0] must be a rule, such as "Bash(git log:*)", and is 7'],
  ['permissions.allow', [''], 'permissions.allow[0] must be a rule, such as "Bash(git log:*)", and is an empty text'],
  [
    'permissions.allow',
    ['Read', 'Edit:*'],
    "permissions.allow[1]: 'Edit:*' is no permission rule: it must begin with a tool name. " +
      "Write 'Edit' for every call, or 'Edit(…)' for some",
  ],
  [
    'permissions.allow',
    ['Bash(ls'],
    "permissions.allow[0]: 'Bash(ls' is no permission rule: its parenthesis is never closed",
  ],
  ['permissions.additionalDirectories', ['/kept', 5], 'permissions.additionalDirectories[1] must be a text, and is 5'],
  ['permissions.defaultMode', 5, 'permissions.defaultMode must be a text, and is 5'],
  [
    'permissions.defaultMode',
    'acceptEdit',
    'permissions.defaultMode must be one of default, acceptEdits, bypassPermissions, plan, dontAsk, delegate, auto, ' +
      "and is 'acceptEdit'. Did you mean acceptEdits?",
  ],
  [
    'permissions.defaultMode',
    'bypassPermissions',
    'permissions.defaultMode: bypassPermissions acts only where the launch permits it, with --allow-dangerously-skip-permissions',
  ],
];

/** Without these a run could do what somebody wanted to forbid. */
const REFUSED: Row[] = [
  ['permissions', ['Bash'], 'permissions must be an object'],
  ['permissions.deny', 'Bash', 'permissions.deny must be a list of texts, none of them empty'],
  ['permissions.deny', ['Bash', 7], 'permissions.deny must be a list of texts, none of them empty'],
  [
    'permissions.deny',
    ['Bash('],
    "permissions.deny[0]: 'Bash(' is no permission rule: its parenthesis is never closed",
  ],
  ['permissions.ask', [''], 'permissions.ask must be a list of texts, none of them empty'],
  ['permissions.ask', ['Bash()'], "permissions.ask[0]: 'Bash()' is no permission rule: its parentheses are empty"],
  ['permissions.enforcement', 'both', 'permissions.enforcement must be "auto", "kernel" or "parse"'],
  ['permissions.askForCiFiles', 'yes', 'permissions.askForCiFiles must be true or false'],
  ['permissions.disableBypassPermissionsMode', true, 'permissions.disableBypassPermissionsMode must be "disable"'],
  ['sandbox', true, 'sandbox must be an object'],
  ['sandbox', { enabled: 'yes' }, 'sandbox.enabled must be true or false'],
  ['sandbox', { filesystem: { denyRead: ['**/.env'] } }, 'sandbox.filesystem.denyRead must be a list of paths'],
  ['disableAllHooks', 'true', 'disableAllHooks must be true or false'],
  ['allowManagedHooksOnly', 1, 'allowManagedHooksOnly must be true or false'],
  ['disabledMcpjsonServers', 'x', 'disabledMcpjsonServers must be a list of texts'],
  ['allowedMcpServers', ['x'], 'allowedMcpServers must be a list of objects'],
  ['deniedMcpServers', [{ name: 'x' }], 'deniedMcpServers[0] must have one of serverName, serverCommand, serverUrl'],
];

test('the tables have every key that acts', () => {
  const keys = new Set([...WARNED, ...REFUSED].map(([key]) => key));
  expect(actedOnKeys().filter((key) => !keys.has(key))).toEqual([]);
});

/** What runs a command, or says where requests go: a project does not decide it, so nobody reads it there. */
const OF_THE_USER = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh', 'modelProviders'];

describe.each(Object.keys(PLACES) as (keyof typeof PLACES)[])('[K53] in the settings of %s', (place) => {
  test.each(WARNED)('%s: %j costs itself', (key, value, said) => {
    const isHelperOfProject = OF_THE_USER.includes(key) && (place === 'project' || place === 'local'); // ruling G2
    const { file, notes, load } = read(place, besides(within(key, value)));
    const settings = load();
    if (!isHelperOfProject)
      expect(notes).toEqual([`${file}: ${said}${said.endsWith('?') ? '' : '.'} It was left out.`]);
    expect(settings.additionalDirectories).toEqual(['/kept']);
    expect(settings.claudeMdExcludes ?? ['kept']).toEqual(['kept']);
    if (key !== 'env' || isObject(value)) expect(settings.env).toEqual({ KEPT: 'yes' });
  });

  test.each(REFUSED)('[R-18] %s: %j stops the start', (key, value, said) => {
    const { file, load } = read(place, besides(within(key, value)));
    expect(load).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
    expect(load).toThrow(said);
    expect(load).toThrow(file);
  });
});

test('[K53] a list that is wrong throughout is not told item by item for ever', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => (at === 7 ? 'Read' : 1));
  const { notes, load } = read('user', { permissions: { allow: many } });
  expect(load().rules).toMatchObject([{ texts: ['Read'] }]);
  expect(notes).toHaveLength(21);
  expect(notes.at(-1)).toContain('49979 more values cannot be used and were left out.');
});

describe('[K53] of an untrusted project', () => {
  test('what it may not say is not looked at, and what it forbids must be right', () => {
    const dir = tempDir();
    const file = join(dir, '.claude', 'settings.json');
    const load = (values: JsonObject) => {
      put(file, values);
      const notes: string[] = [];
      const sources = { config: {}, scopes: ['projectSettings' as const], changes: {}, trustedByLaunch: null };
      const { settings } = loadSettings(sources, { cwd: dir, configHome: null }, (_level, text) => notes.push(text));
      return { settings, notes };
    };
    expect(load({ model: 7, permissions: { allow: 5, deny: ['Bash'] } })).toMatchObject({
      settings: { rules: [{ behavior: 'deny', texts: ['Bash'] }] },
      notes: [],
    });
    expect(() => load({ permissions: { deny: 'Bash' } })).toThrow('permissions.deny must be a list');
  });
});

describe('[K53] in a session', () => {
  const touch = toolUse('Bash', { command: 'touch made' });
  const userFile = (house: House) => join(house.dir, '..', '.heddle', 'settings.json');
  const ran = async (house: House, config: RunConfig = {}) => {
    const client = house.connect(config);
    await client.ask('go');
    await client.end();
    return existsSync(join(house.dir, 'made'));
  };

  test('a bad allow rule costs itself: the good one acts', async () => {
    const house = createHouse([touch, 'done']);
    put(userFile(house), {
      effortLevel: 'enormous',
      permissions: { allow: ['Edit:*', 'Bash(touch:*)'], defaultMode: 'yolo' },
    });
    expect(await ran(house)).toBe(true);
    expect(house.logs.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  test('bypassPermissions of a file is not the mode, unless the launch permits it', async () => {
    const house = createHouse([touch, 'done', touch, 'done']);
    put(userFile(house), { permissions: { defaultMode: 'bypassPermissions' } });
    expect(await ran(house)).toBe(false);
    expect(await ran(house, { allowDangerouslySkipPermissions: true })).toBe(true);
  });

  test('a host that changes settings hears at once what is wrong, whatever the file has', async () => {
    const house = createHouse(['hi']);
    put(userFile(house), { model: 7 });
    const client = house.connect();
    await client.ask('hi');
    const set = (settings: JsonObject) => client.control({ subtype: 'apply_flag_settings', settings });
    const refused = (words: string) => ({ subtype: 'error', error: expect.stringContaining(words) });
    expect(await set({ effortLevel: 'enormous' })).toMatchObject(refused('effortLevel must be one of'));
    expect(await set({ permissions: { allow: ['Edit:*'] } })).toMatchObject(refused('is no permission rule'));
    expect(await set({ effortLevel: 'low' })).toMatchObject({ subtype: 'success' });
  });
});
