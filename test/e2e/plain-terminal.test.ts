import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';
import { startOnTerminal } from '../support/terminal.ts';

/** A person at a terminal that cannot move the cursor. `say` waits for the text, and then types the line. */
function open(place: Place, args: string[] = [], env: Record<string, string> = {}) {
  const run = startOnTerminal(['--model', 'offline', ...args], { place, isWhole: true, env: { TERM: 'dumb', ...env } });
  let seen = 0;
  const rest = () => run.screen().slice(seen);
  return {
    ...run,
    async say(expected: string | RegExp, line: string) {
      await run.until(() => (typeof expected === 'string' ? rest().includes(expected) : expected.test(rest())));
      seen = run.screen().length;
      run.type(`${line}\r`);
    },
    /** Answers count only a moment after the question: the person reads first. */
    async answer(expected: string, line: string) {
      await run.until(() => rest().includes(expected));
      seen = run.screen().length;
      await new Promise((resolve) => setTimeout(resolve, 400));
      run.type(`${line}\r`);
    },
    text: () => run.screen().replaceAll('\r', ''),
  };
}

const CONTROL = ['\x1b', '\x07', '\x08'];

describe('plain mode', () => {
  test('a session from the first line to the last, as docs/pictures/plain-session.txt shows it', async () => {
    const place = await makePlace();
    writeFileSync(join(place.cwd, 'README.md'), 'the loom\n');
    const session = open(place);
    await session.say('> ', 'read README.md');
    await session.say(/the loom[\s\S]*> $/, 'write notes.txt: hello');
    await session.answer('1-4', '4');
    await session.answer('esc goes back', 'call it todo.txt');
    await session.say(/denied[\s\S]*> $/, 'write todo.txt: hello');
    await session.answer('1-4', 'yes');
    await session.say(/Created[\s\S]*> $/, '/mode');
    await session.say('1-5', 'plan');
    await session.say('1-2', '1');
    await session.say(/The mode is plan[\s\S]*> $/, '!echo from the shell');
    await session.say(/from the shell[\s\S]*> $/, '/exit');
    expect(await session.ended).toBe(0);
    expect(existsSync(join(place.cwd, 'todo.txt'))).toBe(true);
    expect(existsSync(join(place.cwd, 'notes.txt'))).toBe(false);
    const text = session.text();
    expect(CONTROL.filter((character) => text.includes(character))).toEqual([]);
    const shown = text
      .replaceAll(place.cwd, '/srv/app')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '3f2a91c0-0000-4000-8000-000000000000')
      .replaceAll(/heddle -r [0-9a-f]{8}/g, 'heddle -r 3f2a91c0')
      .replaceAll(/heddle \d+\.\d+\.\d+\S*/g, 'heddle 1.0.0')
      .replaceAll(/[ \t]+$/gm, '');
    await expect(shown).toMatchFileSnapshot(join(ROOT, 'docs/pictures/plain-session.txt'));
  }, 60_000);

  test('no text of a project controls the terminal: the name of its folder, warnings about its files, settings', async () => {
    const place = await makePlace();
    const cwd = join(place.cwd, 'a\x1b]52;c;aGk=\x07b\x1b[2J');
    const style = { type: 'command', command: 'true\x1b[2J' };
    mkdirSync(join(cwd, '.claude', 'agents'), { recursive: true });
    writeFileSync(join(cwd, '.claude', 'settings.json'), JSON.stringify({ 'a\x1b[2J': 1, statusLine: style }));
    writeFileSync(join(cwd, '.claude', 'agents', 'x\x1b[2J.md'), '---\nname: "x\\e[2J"\n---\n');
    const session = open({ ...place, cwd });
    await session.answer('1-3', '2');
    await session.say('> ', '/status');
    await session.say(/Folder|> $/, '/exit');
    expect(await session.ended).toBe(0);
    // What a terminal echoes of our own keys has none either.
    expect(CONTROL.filter((character) => session.text().includes(character))).toEqual([]);
  }, 60_000);

  test('a line that came before the question does not answer it, and neither do several at once', async () => {
    const place = await makePlace();
    const session = open(place);
    await session.say('> ', 'write notes.txt: hello\r1');
    await session.answer('1-4', '2\r2\r2');
    await session.answer('Several lines are no answer', 'maybe');
    await session.answer('That is no answer', 'no');
    await session.say(/denied[\s\S]*> $/, '/exit');
    expect(await session.ended).toBe(0);
    expect(existsSync(join(place.cwd, 'notes.txt'))).toBe(false);
  }, 60_000);

  test('ctrl+c interrupts the turn, and leaves where nothing runs', async () => {
    const place = await makePlace();
    const session = open(place, ['--permission-mode', 'bypassPermissions']);
    await session.say('> ', 'run: sleep 30');
    await session.until(() => /sleep 30/.test(session.screen()));
    await new Promise((resolve) => setTimeout(resolve, 500));
    session.type('\x03');
    await session.until(/interrupted[\s\S]*> $/);
    session.type('\x03');
    expect(await session.ended).toBe(130);
  }, 60_000);

  test.each([
    ['--plain', ['--plain'], {}],
    ['a screen reader (--ax-screen-reader)', ['--ax-screen-reader'], {}],
    ['a screen reader (CLAUDE_AX_SCREEN_READER)', [], { CLAUDE_AX_SCREEN_READER: '1' }],
    ['HEDDLE_UI=plain', [], { HEDDLE_UI: 'plain' }],
    ['a shell of Emacs', [], { TERM: 'dumb', INSIDE_EMACS: '29.1,comint' }],
  ] as [string, string[], Record<string, string>][])('its first line says why it is on: %s', async (why, args, env) => {
    const place = await makePlace();
    const session = open(place, args, { TERM: 'xterm', ...env });
    await session.say('> ', '/exit');
    expect(await session.ended).toBe(0);
    expect(session.text().split('\n')[0]).toContain(`Plain mode: ${why}.`);
    expect(session.screen()).not.toContain('\x1b[');
  });

  test('axScreenReader of the settings', async () => {
    const place = await makePlace();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ axScreenReader: true }));
    const session = open(place, [], { TERM: 'xterm' });
    await session.say('> ', '/exit');
    expect(await session.ended).toBe(0);
    expect(session.text()).toMatch(/^Plain mode: a screen reader \(axScreenReader\)/);
  });

  test('a session is continued with its last turns, and -r lists them', async () => {
    const place = await makePlace();
    const first = open(place);
    await first.say('> ', 'find loom');
    await first.say(/heddle: [\s\S]*> $/, '/exit');
    await first.ended;
    const second = open(place, ['-c']);
    await second.say(/find loom[\s\S]*> $/, '/exit');
    expect(await second.ended).toBe(0);
    const third = open(place, ['-r']);
    await third.say(/1\. find loom[\s\S]*Enter selection/, '1');
    await third.say(/> $/, '/exit');
    expect(await third.ended).toBe(0);
  }, 60_000);
});

test('the page of the terminal shows that session', () => {
  expect(readFileSync(join(ROOT, 'docs/terminal.md'), 'utf8')).toContain('(pictures/plain-session.txt)');
});
