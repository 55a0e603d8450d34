import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { environmentReminder, SYSTEM_PROMPT, systemBlocks } from '../../../src/agent/messages/system-prompt.ts';
import { builtinTools } from '../../../src/tools/builtin-tools.ts';
import { createRegistry } from '../../../src/tools/registry.ts';

const KB = 1024;

describe('what every request carries', () => {
  const tools = () => JSON.stringify(createRegistry(builtinTools({ isReadOnly: () => false })).apiTools());

  test('the system prompt is at most 3 KB, with the tools at most 14 KB', () => {
    expect(Buffer.byteLength(SYSTEM_PROMPT)).toBeLessThanOrEqual(3 * KB);
    expect(Buffer.byteLength(SYSTEM_PROMPT) + Buffer.byteLength(tools())).toBeLessThanOrEqual(14 * KB);
  });

  test('[B-074] it is the same in every place and on every day', () => {
    const all = SYSTEM_PROMPT + tools();
    expect(all).not.toMatch(/\b20\d\d-\d\d-\d\d\b|\b(19|20)[2-9]\d\b(?!-)/);
    expect(all).not.toContain(tmpdir());
    expect(all).not.toContain(process.cwd());
    expect(all).not.toContain(String(process.env.HOME));
    expect(all).not.toContain(process.version);
    expect(tools()).toBe(tools());
  });
});

describe('the system blocks', () => {
  test('are ours unless replaced', () => {
    expect(systemBlocks({})).toEqual([SYSTEM_PROMPT]);
    expect(systemBlocks({ replace: 'mine' })).toEqual(['mine']);
  });

  test('[OPT-32, OPT-33] end with what is appended, to ours or to a given one', () => {
    expect(systemBlocks({ append: 'and this' })).toEqual([SYSTEM_PROMPT, 'and this']);
    expect(systemBlocks({ replace: 'mine', append: 'and this' })).toEqual(['mine', 'and this']);
  });

  test('an empty prompt is no block at all', () => {
    expect(systemBlocks({ replace: '' })).toEqual([]);
    expect(systemBlocks({ replace: '', append: 'and this' })).toEqual(['and this']);
  });
});

describe('the environment reminder', () => {
  const place = { cwd: '/project', additionalDirectories: [], platform: 'linux', date: '2026-10-15', gitBranch: null };

  test('names the place and the day inside the tag of the runtime', () => {
    expect(environmentReminder(place).split('\n')).toEqual([
      '<system-reminder>',
      'Working directory: /project',
      'Not a git repository',
      'Platform: linux',
      'Date: 2026-10-15',
      '</system-reminder>',
    ]);
  });

  test('names the branch and the further directories', () => {
    const text = environmentReminder({ ...place, gitBranch: 'main', additionalDirectories: ['/a', '/b'] });
    expect(text).toContain('Additional directory: /a\nAdditional directory: /b\nGit branch: main\n');
  });
});
