import { describe, expect, test } from 'vitest';
import { shownConversation } from '../../src/admin/shown-conversation.ts';
import { exportMarkdown } from '../../src/sessions/views/export-markdown.ts';
import { renderConversation } from '../../src/sessions/views/render-conversation.ts';
import { createPaint } from '../../src/util/text/paint.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { assistant, call, user } from '../sessions/support.ts';

const output = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`).join('\n');
const answered = (id: string, content: string, rest: object = {}) =>
  user(`r-${id}`, [{ type: 'tool_result', tool_use_id: id, content, ...rest }], { parent: 'a1' });

const path: Entry[] = [
  user('u1', 'fix\nit', { at: '2025-01-02T03:04:05.678Z' }),
  assistant('a1', [{ type: 'thinking', thinking: 'hm\nwell' }], { parent: 'u1' }),
  assistant('a2', [call('ls'), call('cat')], { parent: 'a1' }),
  answered('ls', output),
  answered('cat', 'no such file', { is_error: true }),
  user('meta', 'told by the runtime', { isMeta: true }),
  assistant('a3', 'Done.', { parent: 'r-cat' }),
  user('int', '[Request interrupted by user]'),
];

const stored = (entries: readonly Entry[]) => ({ entries, whole: async (entry: Entry) => entry });

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

async function shown(entries: readonly Entry[], everything = false): Promise<string[]> {
  const options = { paint: createPaint({ colours: false }), width: 60, everything };
  return (await all(renderConversation(shownConversation(stored(entries)), options))).flat();
}

describe('in a terminal', () => {
  test('who said what, calls with their results, long outputs shortened', async () => {
    expect(await shown(path)).toEqual([
      'You  2025-01-02 03:04  u1',
      'fix',
      'it',
      '',
      '∴ hm',
      '∴ … 1 more line',
      '',
      '⏺ Bash ls',
      ...['  line 1', '  line 2', '  line 3', '  line 4', '  line 5', '  … 7 more lines'],
      '⏺ Bash cat',
      '  no such file',
      '',
      'Agent  a3',
      'Done.',
      '',
      '[Request interrupted by user]',
    ]);
    expect(await shown(path, true)).toContain('  line 12');
  });

  test('a call that nothing answered, an error in the place of an answer, a compaction', async () => {
    const error = { ...assistant('e', 'API Error: 500'), isApiErrorMessage: true };
    const lines = await shown([
      user('s', 'we did this', { isCompactSummary: true }),
      assistant('a', [call('x')]),
      error,
    ]);
    expect(lines).toEqual([
      '── compacted: what came before was summed up ──',
      'we did this',
      '',
      '⏺ Bash x',
      '  (no result: the run ended before)',
      '',
      'API Error: 500',
    ]);
  });

  test('a command as it was typed', async () => {
    const words = '<command-name>/compact</command-name>\n<command-message>compact</command-message>\n';
    const lines = await shown([user('c', `${words}<command-args>the tests</command-args>`)]);
    expect(lines.at(-1)).toBe('/compact the tests');
  });

  test('stored text cannot act on the terminal; letters of all scripts stay', async () => {
    expect((await shown([user('u', '\u001b]0;x\u0007\u200d👩‍💻 می‌خواهم\u202e')])).at(-1)).toBe(
      '\\u{1b}]0;x\\u{7}\u200d👩‍💻 می‌خواهم\\u{202e}',
    );
  });
});

describe('as Markdown', () => {
  async function markdown(entries: readonly Entry[]): Promise<string> {
    const sections = [{ heading: 'Conversation', parts: shownConversation(stored(entries)) }];
    return `${(await all(exportMarkdown({ sessionId: 's', title: 'T', details: [], sections }))).join('\n\n')}\n`;
  }

  test('prompts and answers as they are, calls folded', async () => {
    const text = await markdown(path);
    expect(text).toMatch(/^# T\n\n- session: `s`\n\n### You\n\nfix\nit\n/);
    expect(text).toContain('<summary>Bash: ls</summary>');
    expect(text).toContain(`Result:\n\n\`\`\`\n${output}\n\`\`\``);
    expect(text).toContain('Error:\n\n```\nno such file\n```');
    expect(text).toContain('### Agent\n\nDone.\n');
    expect(text).not.toContain('told by the runtime');
  });

  test('what a tool said cannot end its fence or its fold', async () => {
    const text = await markdown([assistant('a', [call('<b>')]), answered('<b>', 'x\n````\n</details>')]);
    expect(text).toContain('`````\nx\n````\n</details>\n`````');
    expect(text).toContain('<summary>Bash: &lt;b&gt;</summary>');
  });
});
