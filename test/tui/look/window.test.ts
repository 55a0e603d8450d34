import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hasProgress, hasTitle, windowAsBefore } from '../../../src/tui/term/window-features.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { begun, opening, piece, result, system } from '../../view/lines.ts';
import { type OpenTerminal, openTerminal } from '../app/open-terminal.ts';
import { temporaryDirectory } from '../drafts/support.ts';

const settings = (values: JsonObject) => ({
  get_settings: () => ({ sources: [{ source: 'userSettings', settings: values }] }),
});
/** What the window was sent, without what was drawn, and without the question for its background. */
const sent = ({ terminal }: OpenTerminal) =>
  (terminal.bytes.join('').match(SENT) ?? []).filter((each) => !each.includes(']11;'));
// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences of terminals
const SENT = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[2[23];2t|\x1b\[\?1004[hl]|\x07/g;
const titles = (rig: OpenTerminal) => sent(rig).filter((each) => each.startsWith('\x1b]2;'));
const ready = (rig: OpenTerminal, count = 1) =>
  vi.waitFor(() => expect(sent(rig).length).toBeGreaterThanOrEqual(count));

const turn = [
  system('init', { session_id: 's', cwd: '/project' }),
  begun('m1'),
  opening({ type: 'text', text: '' }),
  piece('working'),
];
const question = (id = 'q1') => ({
  ...{ type: 'control_request', request_id: id },
  request: {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    input: { command: 'ls' },
    tool_use_id: id,
    description: 'evil \x07',
  },
});

describe('[TUI-81] the title of the window', () => {
  test('is pushed, tells busy and asking, and the earlier one comes back', async () => {
    const rig = await openTerminal({ answers: settings({}) });
    await vi.waitFor(() => expect(titles(rig)).toEqual(['\x1b]2;✳ project\x07']));
    expect(sent(rig).slice(sent(rig).indexOf('\x1b[22;2t'))[1]).toBe('\x1b]2;✳ project\x07');
    await rig.send(...turn);
    await rig.sees('working');
    await rig.send(question());
    await vi.waitFor(() => expect(titles(rig).at(-1)).toBe('\x1b]2;? project\x07'));
    expect(titles(rig)).toContain('\x1b]2;● project\x07');
    await rig.send({ type: 'control_cancel_request', request_id: 'q1' }, result());
    await vi.waitFor(() => expect(titles(rig).at(-1)).toBe('\x1b]2;✳ project\x07'));
    await rig.app.leave(0);
    expect(sent(rig)).toContain('\x1b[23;2t');
    expect(sent(rig).filter((each) => each === '\x1b[22;2t')).toHaveLength(1);
  });

  test('[TUI-81, TUI-91] has the title of the session, which cannot leave it', async () => {
    const rig = await openTerminal({ answers: settings({}) });
    await ready(rig);
    const { info } = rig.app.tracker.view;
    Object.assign(info, { title: `fix\x07 the \x1b]52;c;eA==\x07login \u202eform\n${'x'.repeat(200)}` });
    rig.app.changed();
    await vi.waitFor(() => expect(titles(rig).at(-1)).toMatch(/fix/));
    const title = titles(rig).at(-1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole sequence
    expect(title).toMatch(/^\x1b\]2;✳ fix the login \\u\{202e\}form x{10,90} — project\x07$/);
    expect(sent(rig).join('')).not.toContain('52;');
  });

  test.each<[string, JsonObject, Record<string, string>]>([
    ['terminal.title is false', { terminal: { title: false } }, {}],
    ['CLAUDE_CODE_DISABLE_TERMINAL_TITLE is 1', {}, { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: '1' }],
    ['the terminal has none', {}, { TERM: 'linux' }],
  ])('is left alone where %s', async (_why, values, env) => {
    const rig = await openTerminal({
      env,
      answers: settings({ preferredNotifChannel: 'notifications_disabled', ...values }),
    });
    await vi.waitFor(() =>
      expect(rig.received.some(({ request }) => (request as JsonObject)?.subtype === 'get_settings')).toBe(true),
    );
    await rig.send(...turn);
    await rig.sees('working');
    expect(sent(rig)).toEqual([]);
  });
});

describe('[TUI-81] progress', () => {
  const env = { WT_SESSION: '1' };

  test('is shown while a turn runs, otherwise while it asks, and taken away', async () => {
    const rig = await openTerminal({ env, answers: settings({}) });
    const progress = () => sent(rig).filter((each) => each.startsWith('\x1b]9;'));
    await ready(rig);
    await rig.send(...turn);
    await vi.waitFor(() => expect(progress()).toEqual(['\x1b]9;4;3\x07']));
    await rig.send(question());
    await vi.waitFor(() => expect(progress().at(-1)).toBe('\x1b]9;4;4;100\x07'));
    await rig.send({ type: 'control_cancel_request', request_id: 'q1' }, result());
    await vi.waitFor(() => expect(progress().at(-1)).toBe('\x1b]9;4;0\x07'));
  });

  test('is off by its setting', async () => {
    const rig = await openTerminal({ env, answers: settings({ terminalProgressBarEnabled: false }) });
    await ready(rig);
    await rig.send(...turn);
    await rig.sees('working');
    expect(sent(rig).join('')).not.toContain(']9;');
  });

  test.each<[boolean, Record<string, string>]>([
    [true, { ConEmuANSI: 'ON' }],
    [true, { TERM_PROGRAM: 'ghostty', TERM_PROGRAM_VERSION: '1.2.0' }],
    [false, { TERM_PROGRAM: 'ghostty', TERM_PROGRAM_VERSION: '1.1.3' }],
    [true, { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.10.1' }],
    [false, { TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.6.5' }],
    [false, { TERM_PROGRAM: 'Apple_Terminal' }],
    [false, { WT_SESSION: '1', TMUX: '/tmp/tmux' }],
  ])('%s for %j', (expected, env) => {
    expect(hasProgress(env)).toBe(expected);
  });
});

test('[TUI-81] what a killed terminal is left with depends on what it knows', () => {
  expect(hasTitle({ TERM: 'linux' })).toBe(false);
  expect(hasTitle({ TERM: 'xterm-256color', STY: '1.pts' })).toBe(false);
  expect(windowAsBefore({ TERM: 'linux' })).toBe('');
  expect(windowAsBefore({ TERM: 'xterm', WT_SESSION: '1' })).toBe('\x1b]9;4;0\x07\x1b[23;2t');
});

describe('[TUI-82] notifications', () => {
  const FOCUS_OUT = '\x1b[O';
  const told = (rig: OpenTerminal) =>
    sent(rig).filter((each) => !each.startsWith('\x1b]2;') && !each.startsWith('\x1b['));

  test.each<[string, JsonObject, Record<string, string>, string]>([
    ['the bell', {}, {}, '\x07'],
    ['OSC 9', {}, { TERM_PROGRAM: 'iTerm.app' }, '\x1b]9;Heddle: project: it has a question\x07'],
    ['OSC 9', {}, { TERM_PROGRAM: 'WezTerm' }, '\x1b]9;Heddle: project: it has a question\x07'],
    ['OSC 777', {}, { TERM_PROGRAM: 'ghostty' }, '\x1b]777;notify;Heddle;project: it has a question\x07'],
    ['OSC 99', { preferredNotifChannel: 'kitty' }, {}, '\x1b]99;i=heddle:d=0;Heddle\x1b\\'],
    ['the bell by its setting', { preferredNotifChannel: 'terminal_bell' }, { TERM_PROGRAM: 'iTerm.app' }, '\x07'],
  ])('a question without anybody in the window is told by %s', async (_way, values, env, expected) => {
    const rig = await openTerminal({ env, answers: settings(values) });
    await vi.waitFor(() => expect(sent(rig)).toContain('\x1b[?1004h'));
    rig.terminal.type(FOCUS_OUT);
    await rig.send(...turn, question());
    await vi.waitFor(() => expect(told(rig)[0]).toBe(expected));
    expect(told(rig).join('')).not.toContain('evil');
    await rig.app.leave(0);
    expect(sent(rig)).toContain('\x1b[?1004l');
  });

  test.each([
    ['on', '\x1bPtmux;\x1b\x1b]9;Heddle: project: it has a question\x07\x1b\\'],
    ['off', '\x07'],
  ])('in tmux a named terminal gets its sequence only where tmux passes it on: %s', async (passes, expected) => {
    const programs = temporaryDirectory();
    writeFileSync(
      join(programs, 'tmux'),
      `#!/bin/sh\n[ "$*" = "show-options -Apv allow-passthrough" ] && echo ${passes}\n`,
      {
        mode: 0o755,
      },
    );
    const env = { TMUX: '/tmp/tmux-1/default,1,0', PATH: `${programs}:${process.env.PATH}` };
    const rig = await openTerminal({ env, answers: settings({ preferredNotifChannel: 'iterm2' }) });
    await vi.waitFor(() => expect(sent(rig)).toContain('\x1b[?1004h'));
    rig.terminal.type(FOCUS_OUT);
    await rig.send(...turn, question());
    await vi.waitFor(() => expect(rig.terminal.bytes).toContain(expected));
  });

  test('nobody is told while somebody types; when the keys rest and the question is open, it is told once', async () => {
    let passed = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const opening = openTerminal({ now: () => passed, answers: settings({}) });
      const rig = await settle(opening);
      await settle(vi.waitFor(() => expect(sent(rig)).toContain('\x1b[?1004h')));
      await rig.send(...turn, question());
      await settle(rig.sees('working'));
      passed += 3000;
      rig.terminal.type('k');
      passed += 3000;
      await vi.advanceTimersByTimeAsync(3000);
      expect(told(rig)).toEqual([]);
      passed += 3000;
      await vi.advanceTimersByTimeAsync(3000);
      expect(told(rig)).toEqual(['\x07']);
      passed += 60_000;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(told(rig)).toEqual(['\x07']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('long turns and tasks are told when they end, short turns are not', async () => {
    const rig = await openTerminal({ env: { TERM_PROGRAM: 'iTerm.app' }, answers: settings({}) });
    await vi.waitFor(() => expect(sent(rig)).toContain('\x1b[?1004h'));
    rig.terminal.type(FOCUS_OUT);
    await rig.send(...turn, result({ duration_ms: 900 }));
    await rig.sees('working');
    await rig.send(...turn, result({ duration_ms: 11_000, uuid: 'r2' }));
    await vi.waitFor(() => expect(told(rig)).toEqual(['\x1b]9;Heddle: project: done\x07']));
    rig.terminal.type('\x1b[I');
    await rig.send(...turn, result({ duration_ms: 12_000, uuid: 'r3' }));
    await rig.sees('12 s');
    expect(told(rig)).toHaveLength(1);
  });

  test('none are sent, and the focus is not asked for, where they are off', async () => {
    const rig = await openTerminal({ answers: settings({ preferredNotifChannel: 'notifications_disabled' }) });
    await ready(rig);
    rig.terminal.type(FOCUS_OUT);
    await rig.send(...turn, question());
    await rig.sees('working');
    expect(sent(rig).join('')).not.toContain('1004');
    expect(told(rig)).toEqual([]);
  });
});

/** Lets faked timers pass until something has happened. */
async function settle<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const done = promise.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}
