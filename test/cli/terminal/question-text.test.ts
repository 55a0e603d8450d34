import { expect, test } from 'vitest';
import { questionOf } from '../../../src/cli/terminal/question-text.ts';
import { terminalOf } from '../../../src/cli/terminal/terminal.ts';

/** What "always" means in the question of a call that comes with these directories. */
function meaningOf(directories: string[]): string | undefined {
  const { paint } = terminalOf({}, {});
  const request = {
    tool_name: 'Write',
    input: { file_path: '/etc/a' },
    permission_suggestions: [{ type: 'addDirectories', directories, destination: 'session' }],
  };
  const { lines } = questionOf(request, { paint, cwd: '/loom', width: () => 200 });
  return lines.find((line) => line.startsWith('always:'));
}

test('[R-8] "always" names the directories that are opened, whatever their paths look like', () => {
  expect(meaningOf(['/etc', '/loom', '/loom/a', '/loom-evil'])).toBe(
    'always: work in /etc, /loom-evil, for this session',
  );
  expect(meaningOf(['/loom/../etc'])).toBe('always: work in /loom/../etc, for this session');
});
