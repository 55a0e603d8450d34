import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configHome, secretValues, toolEnv } from '../../../src/host/engine/environment.ts';
import { loadSettings } from '../../../src/host/launch/load-settings.ts';
import { readPrompts } from '../../../src/host/launch/system-prompt.ts';
import { planNameFrom } from '../../../src/host/permissions/plan-file.ts';
import { tempDir } from '../support.ts';

const notes: string[] = [];
function read(given: string, cwd: string) {
  notes.length = 0;
  const places = { cwd, configHome: null };
  const sources = { config: { settings: given }, scopes: [], changes: {}, trustedByLaunch: null };
  return loadSettings(sources, places, (_level, message) => notes.push(message)).settings;
}

describe('--settings', () => {
  const permissions = { allow: ['Read'], deny: ['Bash(rm:*)'], ask: ['Write'], defaultMode: 'plan' };
  const given = JSON.stringify({ permissions, other: true });

  test('[OPT-39] is JSON, or the path of a JSON file, relative to the working directory', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'mine.json'), given);
    for (const settings of [read(given, dir), read('mine.json', dir), read(join(dir, 'mine.json'), '/elsewhere')]) {
      expect(settings.defaultMode).toBe('plan');
      expect(settings.rules.map(({ behavior, texts, scope }) => [behavior, texts, scope])).toEqual([
        ['allow', ['Read'], 'flagSettings'],
        ['deny', ['Bash(rm:*)'], 'flagSettings'],
        ['ask', ['Write'], 'flagSettings'],
      ]);
    }
  });

  test('[K38] a key without effect is said', () => {
    read('{"spinner":"x","model":"opus","permissions":{"denny":["Bash"]}}', '/');
    expect(notes).toEqual([expect.stringContaining('spinner'), expect.stringContaining('permissions.denny')]);
  });

  test('a directory is no settings file, and is not said to be missing', () => {
    expect(() => read(tempDir(), '/')).toThrow(/cannot be read/);
  });

  test('says nothing when it is empty', () => {
    for (const text of ['{}', '{"permissions":{}}']) expect(read(text, '/').rules).toEqual([]);
  });

  test.each([
    ['nowhere.json', 'nowhere.json'],
    ['{"permissions":', 'not valid JSON'],
    ['[]', 'not found'],
    ['7', 'not found'],
    ['{"permissions":[]}', 'permissions must be an object'],
    ['{"permissions":{"deny":"Bash"}}', 'permissions.deny must be a list'],
    ['{"permissions":{"deny":[7]}}', 'permissions.deny must be a list'],
  ])('[R-18, P-20] %s is an error: a deny rule must not get lost', (text, words) => {
    expect(() => read(text, tempDir())).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
    expect(() => read(text, tempDir())).toThrow(words);
  });
});

describe('the prompts of a launch', () => {
  test('are texts or files', async () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'prompt.md'), 'from a file\n');
    expect(await readPrompts({ systemPrompt: 'a', appendSystemPrompt: '' }, dir)).toEqual({
      systemPrompt: 'a',
      appendSystemPrompt: '',
    });
    const files = { systemPromptFile: 'prompt.md', appendSystemPromptFile: join(dir, 'prompt.md') };
    expect(await readPrompts(files, dir)).toEqual({
      systemPrompt: 'from a file\n',
      appendSystemPrompt: 'from a file\n',
    });
    expect(await readPrompts({}, dir)).toEqual({});
  });

  test.each([
    [{ systemPrompt: 'a', systemPromptFile: 'b' }, 'either --system-prompt or --system-prompt-file'],
    [{ appendSystemPrompt: 'a', appendSystemPromptFile: 'b' }, 'either --append-system-prompt'],
    [{ systemPromptFile: 'nowhere.md' }, 'nowhere.md'],
  ])('%j is an error', async (config, words) => {
    await expect(readPrompts(config, tempDir())).rejects.toThrow(words);
  });
});

describe('the config home', () => {
  test('[P2] is HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else ~/.heddle', () => {
    const env = { HEDDLE_HOME: '/a', CLAUDE_CONFIG_DIR: '/b', HOME: '/c' };
    expect(configHome(env)).toBe('/a');
    expect(configHome({ ...env, HEDDLE_HOME: '' })).toBe('/b');
    expect(configHome({ HOME: '/c' })).toBe('/c/.heddle');
  });

  test('[P2] where there is none, the error says what to set', () => {
    expect(() => configHome({})).toThrow(/HEDDLE_HOME/);
  });
});

test('[G4, R-15] tools get the environment without the credentials of the model', () => {
  const secrets = {
    ANTHROPIC_API_KEY: 'a',
    ANTHROPIC_AUTH_TOKEN: 'b',
    ANTHROPIC_CUSTOM_HEADERS: 'c',
    CLAUDE_CODE_OAUTH_TOKEN: 'd',
    OPENAI_API_KEY: 'e',
    OPENAI_CUSTOM_HEADERS: 'f',
  };
  const env = { ...secrets, PATH: '/bin', EDITOR: 'vi' };
  expect(toolEnv(env)).toEqual({ PATH: '/bin', EDITOR: 'vi' });
  expect(env.ANTHROPIC_API_KEY).toBe('a');
});

describe('[R-16] what must not be shown', () => {
  test('keys and tokens, without the line feed at their end', () => {
    const env = { ANTHROPIC_API_KEY: 'key-a\n', ANTHROPIC_AUTH_TOKEN: 'token-b', OPENAI_API_KEY: '', EDITOR: 'vi' };
    expect(secretValues(env)).toEqual(['key-a', 'token-b']);
  });

  test('values of headers, whole and by their long words', () => {
    const ANTHROPIC_CUSTOM_HEADERS =
      'Authorization: Bearer token-0123\r\nCookie: sid=cookie-0123; theme=dark\nX-Pin: 1234';
    expect(secretValues({ ANTHROPIC_CUSTOM_HEADERS })).toEqual([
      'Bearer token-0123',
      'token-0123',
      'sid=cookie-0123; theme=dark',
      'cookie-0123',
      '1234',
    ]);
  });

  test('user names and passwords in addresses, as they are written, meant and sent', () => {
    const sent = (pair: string) => Buffer.from(pair).toString('base64');
    expect(secretValues({ HTTPS_PROXY: 'http://me:p%40ss@proxy:3128' })).toEqual([
      'me:p%40ss',
      'me:p@ss',
      sent('me:p@ss'),
      'p%40ss',
      'p@ss',
    ]);
    expect(secretValues({ http_proxy: 'token@proxy' })).toEqual(['token', sent('token:')]);
    expect(secretValues({ OPENAI_BASE_URL: 'http://me:100%@host/v1' })).toContain('100%');
    expect(secretValues({ ANTHROPIC_BASE_URL: 'https://host/a@b', HTTP_PROXY: 'http://proxy' })).toEqual([]);
  });
});

test('a plan is named after its uuid, in three words', () => {
  const uuid = '12345678-9abc-4def-8123-456789abcdef';
  expect(planNameFrom(uuid)).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
  expect(planNameFrom(uuid)).toBe(planNameFrom(uuid));
  expect(planNameFrom('fedcba98-7654-4321-8fed-cba987654321')).not.toBe(planNameFrom(uuid));
  expect(planNameFrom('')).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
});
