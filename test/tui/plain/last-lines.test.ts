import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runPlain } from '../../../src/tui/plain/run-plain.ts';

test('what a server says last controls no terminal: neither while plain mode runs nor behind it', async () => {
  const output = new PassThrough();
  const { exitCode, lines } = await runPlain({
    ...{ env: {}, cwd: '/project', version: '1.2.3', newId: () => 'id', home: null, isKept: false, sessionId: null },
    connect: async (stderr) => {
      stderr('a\x1b]52;c;aGk=\x07warning\x1b[2J');
      throw new Error('no\x1b]0;title\x07 such\x1b[2J\x9b2J session');
    },
    isContinued: false,
    reason: '--plain',
    input: new PassThrough(),
    output,
    now: Date.now,
  });
  expect([exitCode, lines]).toEqual([1, ['heddle: no such session']]);
  const printed = String(output.read());
  expect(printed).toContain('warning: awarning\n');
  expect(printed.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
