import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPermissionSettings as read } from '../../src/host/flag-settings.ts';
import { configHome, toolEnv } from '../../src/host/home.ts';
import { planName } from '../../src/host/plan-name.ts';
import { readPrompts } from '../../src/host/prompts.ts';
import { tempDir } from './support.ts';

const notes: string[] = [];
function readPermissionSettings(given: string | undefined, cwd: string) {
  notes.length = 0;
  return read(given, cwd, (_level, message) => notes.push(message));
}

describe('--settings', () => {
  const permissions = { allow: ['Read'], deny: ['Bash(rm:*)'], ask: ['Write'], defaultMode: 'plan' };
  const given = JSON.stringify({ permissions, other: true });

  test('[OPT-39] is JSON, or the path of a JSON file, relative to the working directory', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'mine.json'), given);
    expect(readPermissionSettings(given, dir)).toEqual(permissions);
    expect(readPermissionSettings('mine.json', dir)).toEqual(permissions);
    expect(readPermissionSettings(join(dir, 'mine.json'), '/elsewhere')).toEqual(permissions);
  });

  test('[K38] a key without effect is said', () => {
    readPermissionSettings('{"model":"x","permissions":{"denny":["Bash"]}}', '/');
    expect(notes).toEqual([expect.stringContaining('model'), expect.stringContaining('permissions.denny')]);
  });

  test('a directory is no settings file, and is not said to be missing', () => {
    expect(() => readPermissionSettings(tempDir(), '/')).toThrow(/cannot be read/);
  });

  test('says nothing when it is absent or empty', () => {
    expect(readPermissionSettings(undefined, '/')).toEqual({});
    expect(readPermissionSettings('{}', '/')).toEqual({});
    expect(readPermissionSettings('{"permissions":{}}', '/')).toEqual({});
  });

  test.each([
    ['nowhere.json', 'nowhere.json'],
    ['{"permissions":', 'not valid JSON'],
    ['{"hooks":{"PreToolUse":[]}}', 'hooks are not supported'],
    ['[]', 'not found'],
    ['7', 'not found'],
    ['{"permissions":[]}', 'permissions must be an object'],
    ['{"permissions":{"deny":"Bash"}}', 'permissions.deny must be a list'],
    ['{"permissions":{"deny":[7]}}', 'permissions.deny must be a list'],
    ['{"permissions":{"allow":null}}', 'permissions.allow must be a list'],
  ])('[R-18, P-20] %s is an error: a deny rule must not get lost', (text, words) => {
    expect(() => readPermissionSettings(text, tempDir())).toThrow(
      expect.objectContaining({ code: 'invalid_settings' }),
    );
    expect(() => readPermissionSettings(text, tempDir())).toThrow(words);
  });
});

describe('the prompts of a launch', () => {
  test('are texts or files', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'prompt.md'), 'from a file\n');
    expect(readPrompts({ systemPrompt: 'a', appendSystemPrompt: '' }, dir)).toEqual({
      systemPrompt: 'a',
      appendSystemPrompt: '',
    });
    expect(readPrompts({ systemPromptFile: 'prompt.md', appendSystemPromptFile: join(dir, 'prompt.md') }, dir)).toEqual(
      {
        systemPrompt: 'from a file\n',
        appendSystemPrompt: 'from a file\n',
      },
    );
    expect(readPrompts({}, dir)).toEqual({});
  });

  test.each([
    [{ systemPrompt: 'a', systemPromptFile: 'b' }, 'either --system-prompt or --system-prompt-file'],
    [{ appendSystemPrompt: 'a', appendSystemPromptFile: 'b' }, 'either --append-system-prompt'],
    [{ systemPromptFile: 'nowhere.md' }, 'nowhere.md'],
  ])('%j is an error', (config, words) => {
    expect(() => readPrompts(config, tempDir())).toThrow(words);
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
  };
  const env = { ...secrets, PATH: '/bin', EDITOR: 'vi' };
  expect(toolEnv(env)).toEqual({ PATH: '/bin', EDITOR: 'vi' });
  expect(env.ANTHROPIC_API_KEY).toBe('a');
});

test('a plan is named after its uuid, in three words', () => {
  const uuid = '12345678-9abc-4def-8123-456789abcdef';
  expect(planName(uuid)).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
  expect(planName(uuid)).toBe(planName(uuid));
  expect(planName('fedcba98-7654-4321-8fed-cba987654321')).not.toBe(planName(uuid));
  expect(planName('')).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
});
