import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auth, BARE, KEY, keyFile, login } from '../support/auth-cli.ts';
import { type CliOptions, runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

describe('heddle auth status', () => {
  test('as JSON it has the fields that hosts of the reference read, through a pipe without a flag, too', async () => {
    const place = await makePlace();
    const none = await auth(place, ['status']);
    expect(none.code).toBe(1);
    expect(JSON.parse(none.stdout)).toEqual({
      loggedIn: false,
      authMethod: 'none',
      apiProvider: 'firstParty',
      analyticsDisabled: true,
      projectsDirectory: join(place.home, 'projects'),
      configDirectory: place.home,
      loginExpiresAt: null,
      model: 'claude-sonnet-4-5-20250929',
      providers: [
        {
          provider: 'anthropic',
          loggedIn: false,
          authMethod: 'none',
          source: null,
          origin: place.api.url,
          stored: false,
        },
        {
          provider: 'openai',
          loggedIn: false,
          authMethod: 'none',
          source: null,
          origin: 'https://api.openai.com',
          stored: false,
        },
      ],
    });
    expect(existsSync(place.home)).toBe(false);
    await login(place);
    const stored = await auth(place, ['status', '--json']);
    expect(stored.code).toBe(0);
    expect(JSON.parse(stored.stdout)).toMatchObject({
      loggedIn: true,
      authMethod: 'api_key',
      apiProvider: 'firstParty',
      apiKeySource: '/login managed key',
    });
  });

  test.each([
    [{ ANTHROPIC_API_KEY: 'x' }, [], { loggedIn: true, authMethod: 'api_key', apiKeySource: 'ANTHROPIC_API_KEY' }],
    [{ ANTHROPIC_AUTH_TOKEN: 'x' }, [], { loggedIn: true, authMethod: 'oauth_token' }],
    [
      {},
      ['--settings', '{"apiKeyHelper":"echo x"}'],
      { loggedIn: true, authMethod: 'api_key_helper', apiKeySource: 'apiKeyHelper' },
    ],
    [{}, ['--model', 'offline'], { loggedIn: true, authMethod: 'none', apiProvider: 'none' }],
    [{}, ['--model', 'openai/x'], { loggedIn: false, authMethod: 'none', apiProvider: 'openai' }],
    [{ OPENAI_API_KEY: 'x' }, ['--model', 'openai/x'], { loggedIn: true, apiKeySource: 'OPENAI_API_KEY' }],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, ['--provider', 'openai'], { loggedIn: true, authMethod: 'none' }],
  ])('%j %j', async (env, args, expected) => {
    const place = await makePlace();
    const { code, stdout } = await auth(place, ['status', ...args], { env: { ...BARE, ...env } });
    expect(JSON.parse(stdout)).toMatchObject(expected);
    expect(code).toBe(expected.loggedIn ? 0 : 1);
  });

  test.each<[string, Record<string, string>, number, object, string]>([
    [
      'gemini/g',
      {},
      1,
      { loggedIn: false, authMethod: 'none', apiProvider: 'gemini' },
      'gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or store one with heddle auth login --provider gemini.',
    ],
    [
      'gemini/g',
      { GEMINI_API_KEY: KEY },
      0,
      { loggedIn: true, authMethod: 'api_key', apiProvider: 'gemini', apiKeySource: 'GEMINI_API_KEY' },
      'GEMINI_API_KEY, for gemini',
    ],
    [
      'vertex/sonnet',
      { CLOUD_ML_REGION: 'us-east5', ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
      0,
      { loggedIn: true, authMethod: 'none', apiProvider: 'vertex' },
      'found when vertex is asked, if it needs one',
    ],
  ])('of %s with %j', async (model, given, exit, report, text) => {
    const place = await makePlace();
    const env = { ...BARE, GEMINI_API_KEY: undefined, GOOGLE_API_KEY: undefined, ...given };
    const asJson = await auth(place, ['status', '--model', model], { env });
    expect(asJson.code).toBe(exit);
    expect(JSON.parse(asJson.stdout)).toMatchObject(report);
    const asText = await auth(place, ['status', '--text', '--model', model], { env });
    expect(asText.code).toBe(exit);
    expect(asText.stdout).toContain(text);
    expect(asJson.stdout + asText.stdout).not.toContain(KEY);
  });

  test('for people', async () => {
    const place = await makePlace();
    const text = async (env: CliOptions['env'] = {}) =>
      (await auth(place, ['status', '--text'], { env: { ...BARE, ...env } })).stdout;
    expect(await text()).toContain(`none for ${place.api.url}: heddle auth login, or set ANTHROPIC_API_KEY`);
    await login(place);
    expect(await text()).toMatch(/^credential +the stored key …WXYZ for http:/m);
    expect(await text({ ANTHROPIC_API_KEY: 'x' })).toContain('the stored key …WXYZ is not used');
  });

  test('a file that cannot be read is told, never shown, and mended by the next login', async () => {
    const place = await makePlace(['one']);
    mkdirSync(place.home, { recursive: true });
    writeFileSync(keyFile(place), `{"keys": [{"apiKey": "${KEY}"`);
    const words = `${keyFile(place)} cannot be used (it is not what heddle auth login writes): heddle auth login stores the key again`;
    const seen = [
      await auth(place, ['status']),
      await runCli(['-p', 'hi'], { place, env: BARE }),
      await runCli(['doctor'], { place, env: BARE }),
    ];
    for (const { code, stdout, stderr } of seen) {
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(words);
      expect(stdout + stderr).not.toContain(KEY);
    }
    expect((await login(place)).code).toBe(0);
    expect((await runCli(['-p', 'hi'], { place, env: BARE })).code).toBe(0);
  });
});
