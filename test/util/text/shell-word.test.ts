import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../../src/util/text/shell-word.ts';

test.each(['/srv/loom', 'claude-sonnet-4-5', 'openai/qwen3:8b'])('%s stays as it is', (text) => {
  expect(shellWord(text)).toBe(text);
});

test.each(['', 'two words', "Ada's", '$(id)', 'a;b', '~/x', '*', 'a\\b', '"', '`id`', 'a\nb'])(
  '%j is one word',
  (text) => {
    const { stdout } = spawnSync('sh', ['-c', `printf %s, ${shellWord(text)}`], { encoding: 'utf8' });
    expect(stdout).toBe(`${text},`);
  },
);
