import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const RESULT = { type: 'result', subtype: 'success', is_error: false, session_id: 'the-session', uuid: 'r1' };

/** The requests for the status line, and those that were withdrawn. */
function asked(received: readonly JsonObject[]) {
  const requests = received.filter(({ request }) => (request as JsonObject | undefined)?.subtype === 'status_line');
  const ids = requests.map(({ request_id }) => request_id);
  const withdrawn = received.filter(
    ({ type, request_id }) => type === 'control_cancel_request' && ids.includes(request_id as string),
  );
  return { requests: requests.map(({ request }) => request as JsonObject), withdrawn };
}

const shows = (output: string, more: JsonObject = {}) => ({
  answers: { status_line: () => ({ configured: true, output, exit_code: 0, ...more }) },
});

test('[TUI-80] the output of the command stands in the place of the facts, up to three rows; keys stay below it', async () => {
  const { sees, received } = await openTerminal(shows('\none\n  two\r\nthree\nfour\n', { padding: 1 }));
  const shown = await sees('one');
  expect(shown).toMatch(/❯\s*\n one\n {3}two\n three\n {2}\? for keys$/);
  expect(asked(received).requests).toEqual([{ subtype: 'status_line', columns: 60, rows: 20 }]);
});

test('[TUI-80] causes within 300 ms are one run, and a later one withdraws a run that is under way', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { sees, received, send, app } = await openTerminal({ ...shows('done'), holds: { status_line: held } });
  await vi.waitFor(() => expect(asked(received).requests).toHaveLength(1));
  for (let turn = 0; turn < 5; turn++) await send({ ...RESULT, uuid: `r${turn}` });
  await vi.waitFor(() => expect(asked(received).withdrawn).toHaveLength(1));
  expect(asked(received).requests).toHaveLength(2);
  release();
  await sees('done');
  expect(app.look.loaded?.statusLine).toMatchObject({ isConfigured: true, problem: null });
});

test('[TUI-80] without a command and without an interval there is no timer and no request', async () => {
  await least();
  const before = timers();
  const { received, app, send, sees } = await openTerminal({ answers: { status_line: () => ({ configured: false }) } });
  await vi.waitFor(() => expect(app.look.loaded?.statusLine.isConfigured).toBe(false));
  await send({ ...RESULT, result: 'x', duration_ms: 20_000 });
  await sees('20 s');
  await settled(before);
  // Once at the start, and once after the turn, which may have changed the settings.
  expect(asked(received).requests).toHaveLength(2);
});

test('[TUI-80] a status line that has run leaves no timer behind; with an interval it runs again', async () => {
  await least();
  const before = timers();
  const idle = await openTerminal(shows('once'));
  await idle.sees('once');
  await settled(before);
  expect(asked(idle.received).requests).toHaveLength(1);
  let runs = 0;
  const again = { status_line: () => ({ configured: true, output: `run ${++runs}`, refresh_interval: 0.05 }) };
  const { sees } = await openTerminal({ answers: again });
  await sees('run 3');
});

test('[TUI-80] what a session of another machine answers for padding and pause is bounded', async () => {
  const answers = (size: number) => {
    let runs = 0;
    const more = { padding: size, refresh_interval: size };
    return { status_line: () => ({ configured: true, output: `run ${++runs}`, ...more }) };
  };
  const low = await openTerminal({ answers: answers(-1) });
  await low.sees(/^run 2/m);
  const high = await openTerminal({ answers: answers(1e12) });
  await vi.waitFor(() => expect(asked(high.received).requests).toHaveLength(1), 5000);
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(asked(high.received).requests).toHaveLength(1);
  await high.sees('? for keys');
});

test('[TUI-80] a failure is one notice, the facts are shown again, and /statusline tells why', async () => {
  const failing = {
    status_line: () => ({ configured: true, output: '', exit_code: 3, error: 'it ended with the exit code 3: no jq' }),
    get_settings: () => ({
      effective: { statusLine: { type: 'command', command: 'bash line.sh' } },
      provenance: [{ key: 'statusLine.command', source: '/home/me/.heddle/settings.json' }],
    }),
  };
  const { sees, terminal, send } = await openTerminal({ answers: failing, size: { columns: 100, rows: 24 } });
  await sees('▏The status line shows nothing: it ended with the exit code 3: no jq');
  await send(RESULT);
  await sees(/ {2}\? for keys$/);
  terminal.type('/statusline\r');
  await sees(
    /command {4}bash line\.sh\n.*set in .*\/home\/me\/\.heddle\/settings\.json\n[\s\S]*nothing: it ended with/,
  );
});

test('[TUI-80, TUI-91] of the output only colours reach the terminal', async () => {
  const hostile = [
    '\x1b[31mred\x1b[0m\x1b]52;c;aGFjaw==\x07\x1b]0;title\x07\x1b[2J\x1b[1;1Hhere\x1b]8;;javascript:1\x07link\x1b]8;;\x07',
    `\x1bP+q544e\x1b\\\x1b[?1049h\x1b[5n\u202eabc\x9b2J${'x'.repeat(9000)}`,
  ].join('\n');
  const { sees, terminal } = await openTerminal({ ...shows(hostile), env: { NO_COLOR: '', FORCE_COLOR: '1' } });
  const shown = await sees('redherelink');
  expect(shown).toContain('\\u{202e}abc');
  const bytes = terminal.bytes.join('');
  expect(bytes).toContain('\x1b[31mred');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act on
  expect(bytes).not.toMatch(/\x1b\]|\x1bP|\x1b\[2J|\x1b\[1;1H|\x1b\[\?1049h|\x1b\[5n|\u202e|\x9b/);
  expect(Math.max(...shown.split('\n').map((row) => row.length))).toBeLessThan(60);
});

test('[TUI-80, TUI-93] of the links only those to web pages stay, and each ends with its row', async () => {
  const link = (address: string, text: string) => `\x1b]8;;${address}\x07${text}\x1b]8;;\x07`;
  const lines = [
    `${link('https://example.com/pull/7', '\x1b[34mPR 7\x1b[0m')} ${link('file:///etc/passwd', 'file')} ${link('javascript:x', 'script')}`,
    `\x1b]8;id=1;https://example.com/a b\u202ec\x1b\\open ${'x'.repeat(80)}`,
    link(`https://example.com/${'y'.repeat(3000)}`, 'long'),
  ];
  const { sees, terminal } = await openTerminal({
    ...shows(lines.join('\n')),
    env: { NO_COLOR: '', FORCE_COLOR: '1' },
  });
  expect(await sees('PR 7 file script')).toMatch(/open x{40,}\n {0,2}long/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: links
  const links = terminal.bytes.join('').match(/\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g);
  const end = '\x1b]8;;\x1b\\';
  expect(links).toEqual([
    ...['\x1b]8;;https://example.com/pull/7\x1b\\', end],
    ...['\x1b]8;;https://example.com/a%20b%E2%80%AEc\x1b\\', end],
  ]);
});

/** The timers of this process. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

/** What earlier tests have left over ends. */
async function least(): Promise<void> {
  const patience = performance.now() + 1000;
  while (timers() > 0 && performance.now() < patience) await setImmediate();
}

/** Notices and frames end by themselves. */
async function settled(before: number): Promise<void> {
  const patience = performance.now() + 15_000;
  while (timers() > before && performance.now() < patience) await setImmediate();
  expect(timers()).toBeLessThanOrEqual(before);
}
