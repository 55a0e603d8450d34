import { expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/cli/terminal/logger.ts';

test('what servers say does not act on the terminal, nor pass for a line of ours', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    createLogger({}).log('warn', 'The MCP server x failed: \u001b[2Jgone\nheddle: all is well');
    createLogger({ debug: true }).log('debug', 'It said', { line: '\u009b2J\u202e' });
    expect(write.mock.calls.map(([text]) => text)).toEqual([
      'heddle: The MCP server x failed: \\u{1b}[2Jgone\n  heddle: all is well\n',
      'heddle: It said {"line":"\\u{9b}2J\\u{202e}"}\n',
    ]);
  } finally {
    write.mockRestore();
  }
});
