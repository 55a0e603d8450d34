import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../../tui/app/open-terminal.ts';
import { answer, begun, call, done, opening, piece, result, system } from '../../view/lines.ts';

/** What a hostile text would do to a terminal that shows it. */
const ATTACKS = [
  // Moves, clears, modes, resets.
  ...[
    '\x1b[2J',
    '\x1b[3J',
    '\x1b[H',
    '\x1b[1;1H',
    '\x1b[5A',
    '\x1b[2;5r',
    '\x1b[3L',
    '\x1b[3M',
    '\x1bM',
    '\x1bc',
    '\x1b[!p',
  ],
  ...['\x1b[?1049h', '\x1b[?1000h', '\x1b[?1004h', '\x1b[?2004l', '\x1b[?25l', '\x1b(0', '\x1b[20h', '\x1b[4h'],
  // Questions to the terminal, whose answers would be typed into the shell.
  ...['\x1b[c', '\x1b[>c', '\x1b[5n', '\x1b[6n', '\x1bP$qm\x1b\\', '\x1b[21t', '\x1b[?2027$p', '\x05'],
  // Clipboard, titles, notifications, colours, links, marks, files.
  ...[0, 2, 4, 7, 8, 9, 10, 11, 52, 99, 133, 633, 777, 1337].flatMap((code) => [
    `\x1b]${code};c;c2VjcmV0\x07`,
    `\x1b]${code};c;c2VjcmV0\x1b\\`,
    `\x9d${code};c;c2VjcmV0\x9c`,
  ]),
  '\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\',
  // Strings that swallow what follows, also unfinished ones.
  ...[
    '\x1bPq#0\x1b\\',
    '\x1b_Ga=T\x1b\\',
    '\x1b^pm\x1b\\',
    '\x1bXsos\x1b\\',
    '\x1b]0;',
    '\x1b[',
    '\x1b',
    '\x9b2J',
    '\x90q',
    '\x98',
  ],
  // Overwriting, hiding, reordering.
  ...[
    'safe\rEVIL',
    'a\x08\x08b',
    'bell\x07',
    '\x0b\x0c',
    '\u202egnp.exe\u202c',
    '\u2066x\u2069',
    'a\u200bb',
    '\u{e0041}',
    '\ud800',
    '\u2028',
  ],
  `a${'\u0301'.repeat(10_000)}`,
];
const TEXT = ATTACKS.join(' . ');
const LINES = ATTACKS.join('\n');
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may not be on the screen
const HIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u;

/** Where a text of others can come from, with the lines that show it. */
const CHANNELS: Readonly<Record<string, (text: string) => JsonObject[]>> = {
  'a streamed answer': (text) => [
    begun('m1'),
    opening({ type: 'text', text: '' }),
    ...[text.slice(0, 100), text.slice(100)].map((each) => piece(each)),
    answer('m1', { type: 'text', text }),
  ],
  'code in an answer': (text) => [answer('m1', { type: 'text', text: `\`\`\`ts\n${text}\n\`\`\`` })],
  'links and tables in an answer': (text) => [
    answer('m1', {
      type: 'text',
      text: `[a](<${text.replaceAll('\n', ' ')}>)\n\n| a | b |\n|---|---|\n| ${text.replaceAll('\n', ' ')} | x |`,
    }),
  ],
  'a command and its output': (text) => [call('a', 'Bash', { command: text }), done('a', text)],
  'a name of a file': (text) => [call('a', 'Read', { file_path: text }), done('a', text)],
  'names of several files': (text) => [
    ...[call('a', 'Read', { file_path: text }), call('b', 'Read', { file_path: `${text}2` }), done('a'), done('b')],
  ],
  'a diff': (text) => [
    call('a', 'Edit', { file_path: `/project/${text}` }),
    done('a', 'ok', {
      tool_use_result: {
        filePath: text,
        structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${text}`, `+${text}x`] }],
      },
    }),
  ],
  'a server': (text) => [call('a', `mcp__${text}__tool`, { input: text }), done('a', text)],
  'an unknown tool': (text) => [call('a', text, { [text]: text }), done('a', text)],
  todos: (text) => [
    call('a', 'TodoWrite', { todos: [{ content: text, status: 'in_progress', activeForm: text }] }),
    done('a', 'ok', {
      tool_use_result: { oldTodos: [], newTodos: [{ content: text, status: 'in_progress', activeForm: text }] },
    }),
  ],
  'a task': (text) => [
    system('task_started', { task_id: 't', task_type: 'local_agent', subagent_type: text, description: text }),
    system('task_notification', { task_id: 't', status: 'completed', summary: text }),
  ],
  'a denial': (text) => [
    system('permission_denied', { tool_name: text, tool_use_id: 'x', message: text, agent_id: 'a' }),
  ],
  'an error': (text) => [result({ is_error: true, errors: [text], result: text })],
  'the session': (text) => [
    system('init', { session_id: text, model: text, permissionMode: text, cwd: text, tools: [text] }),
    system('session_title_changed', { title: text }),
    system('hook_started', { hook_name: text }),
    system('api_retry', { attempt: 1, max_retries: 2, retry_delay_ms: 5, error: text, error_status: 500 }),
  ],
  'a prompt of somebody else': (text) => [
    {
      type: 'user',
      uuid: 'p',
      parent_tool_use_id: null,
      origin: { kind: text },
      message: { role: 'user', content: text },
    },
  ],
};

/** What the terminal itself asks at its start, once: the colour of the background. */
const OWN_QUESTION = ['osc 11'];

describe('[TUI-90, TUI-91, TUI-92] an emulator sees no effect of a hostile text', () => {
  test.each(Object.keys(CHANNELS))('in %s', async (channel) => {
    const { terminal, send, sees } = await openTerminal({ env: { NO_COLOR: '' } });
    for (const text of [TEXT, LINES]) await send(...(CHANNELS[channel]?.(text) ?? []), result());
    await send(system('local_command_output', { content: 'that was all' }));
    const shown = await sees('that was all');
    expect(terminal.emulator.effects).toEqual(OWN_QUESTION);
    expect(HIDDEN.exec(shown.replaceAll('\n', ''))).toBeNull();
    expect(terminal.emulator.terminal.buffer.active.type).toBe('normal');
    // The keys are still the editor's.
    terminal.type('typed');
    await sees('❯ typed');
  });

  test('in a question', async () => {
    const { terminal, send, sees } = await openTerminal({ size: { columns: 100, rows: 40 } });
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 't', title: TEXT, description: TEXT };
    const rule = { toolName: 'Bash', ruleContent: TEXT };
    const suggestion = { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' };
    await send({
      ...{ type: 'control_request', request_id: 'q' },
      request: { ...request, input: { command: LINES }, permission_suggestions: [suggestion] },
    });
    const shown = await sees(/esc: no/);
    expect(terminal.emulator.effects).toEqual([]);
    expect(HIDDEN.exec(shown.replaceAll('\n', ''))).toBeNull();
    expect(shown).not.toMatch(/\p{M}{9}/u);
  });
});

test('[TUI-95] a row of ten megabytes and ten thousand rows hold no key up: it is drawn before the next line is taken', async () => {
  const { terminal, send, sees } = await openTerminal();
  const bash = (id: string, output: string) => [call(id, 'Bash', { command: id }), done(id, output)];
  await send(...bash('long', 'x'.repeat(10_000_000)), ...bash('many', 'row\n'.repeat(10_000)));
  await sees(/9,?995 rows/);
  const before = terminal.bytes.length;
  terminal.type('k');
  expect(terminal.bytes.slice(before).join('')).toContain('k');
  expect(Math.max(...terminal.bytes.map((each) => each.length))).toBeLessThan(100_000);
});
