import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { startOnTerminal } from '../support/terminal.ts';

const ESC = '\u001b';
const ERASE = `\r${ESC}[2K`;

/** A command that runs until the test lets it go. */
const SLOW = 'until [ -e go ]; do sleep 0.05; done; echo gone';
const ARGS = ['-p', 'go', '--allowedTools', 'Bash'];

function slowPlace(command = SLOW): Promise<Place> {
  return makePlace((_request, index) =>
    index === 0 ? toolUse('Bash', { command }) : `All done.\n${ESC}[1mReally.${ESC}[0m`,
  );
}

function letGo(place: Place): void {
  writeFileSync(join(place.cwd, 'go'), '');
}

test('a long run says on the terminal what it does, and leaves nothing of it; stdout is as without', async () => {
  const place = await slowPlace();
  const run = startOnTerminal(ARGS, { place });
  await run.until(/Bash until .* · \d+s · ↑\d+ ↓\d+/);
  letGo(place);
  expect(await run.ended).toBe(0);
  expect(run.screen().startsWith(ERASE)).toBe(true);
  expect(run.screen().endsWith(ERASE)).toBe(true);
  expect(run.screen()).not.toContain('\n'); // one line, drawn again and again

  const again = await slowPlace();
  letGo(again);
  const piped = await runCli(ARGS, { place: again });
  expect(piped.stderr).toBe('');
  expect(run.stdout()).toBe(piped.stdout);
});

test('it is drawn at most eight times a second', async () => {
  const place = await slowPlace();
  const run = startOnTerminal(ARGS, { place });
  await run.until(/ 2s/);
  letGo(place);
  await run.ended;
  const inOneSecond = run
    .screen()
    .split(ERASE)
    .filter((frame) => / 1s/.test(frame));
  expect(inOneSecond.length).toBeGreaterThan(1);
  expect(inOneSecond.length).toBeLessThanOrEqual(8);
});

test('escape sequences in the input of a tool do not reach the terminal', async () => {
  const place = await slowPlace(`: '${ESC}]0;owned\u0007${ESC}[2J'; ${SLOW}`);
  const run = startOnTerminal(ARGS, { place });
  await run.until('owned');
  letGo(place);
  await run.ended;
  expect(run.screen()).toContain('\\u{1b}]0;owned\\u{7}\\u{1b}[2J');
  for (const acting of [`${ESC}]`, `${ESC}[2J`, '\u0007']) expect(run.screen()).not.toContain(acting);
});

test('a warning makes it go first, and it comes back after', async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const place = await makePlace(async (_request, index) => {
    if (index > 0) return 'All done.';
    await held;
    return toolUse('Bash', { command: SLOW });
  });
  const run = startOnTerminal([...ARGS, '--model', 'priceless'], { place });
  await run.until('waiting for the model');
  answer();
  await run.until(/No price is known.*\r\n.*Bash until/s);
  letGo(place);
  await run.ended;
  const [before = '', after = ''] = run.screen().split('heddle: No price is known');
  expect(before.endsWith(ERASE)).toBe(true);
  // The rest of the warning, which may need a second line, then the next frame.
  expect(after).toMatch(/^[^\r\n]*\r\n(?: {2}[^\r\n]*\r\n)?\r/);
});

test('[H-8] Ctrl-C leaves a clean line and a cursor', async () => {
  const place = await slowPlace();
  const run = startOnTerminal(ARGS, { place });
  await run.until('Bash until');
  run.type('\u0003');
  expect(await run.ended).toBe(130);
  expect(run.screen().split(ERASE).at(-1)).toBe('heddle: The turn was interrupted\r\n');
  expect(run.screen()).not.toContain(`${ESC}[?25l`); // never hidden: nothing to bring back, whatever ends the run
});

test.each([true, false])('a terminal that goes away costs no answer (disowned: %s)', async (isDisowned) => {
  const place = await slowPlace('for i in $(seq 200); do [ -e go ] && break; touch running; sleep 0.05; done');
  const run = startOnTerminal(ARGS, { place, isDisowned });
  await run.until('Bash for');
  run.hangUp();
  await run.ended;
  if (isDisowned) {
    const running = join(place.cwd, 'running');
    for (let frame = 0; frame < 10; frame++) {
      rmSync(running, { force: true });
      await vi.waitFor(() => expect(existsSync(running)).toBe(true), 5000);
    }
    letGo(place);
  }
  await vi.waitFor(() => expect(run.stdout()).toMatch(isDisowned ? /^All done/ : /^Execution error/), 10_000);
});

test.each<[string, string[], Record<string, string>]>([
  ['--no-progress', ['--no-progress'], {}],
  ['TERM=dumb', [], { TERM: 'dumb' }],
  ['CI', [], { CI: 'true' }],
  ['json', ['--output-format', 'json'], {}],
  ['stream-json', ['--output-format', 'stream-json', '--verbose'], {}],
])('nothing is drawn with %s', async (_name, args, env) => {
  const place = await slowPlace('touch begun; sleep 1'); // long enough that it would be
  const run = startOnTerminal([...ARGS, ...args], { place, env });
  expect(await run.ended).toBe(0);
  expect(existsSync(join(place.cwd, 'begun'))).toBe(true);
  expect(run.screen()).toBe('');
});

test('NO_COLOR takes the colours away', async () => {
  const place = await slowPlace();
  const run = startOnTerminal(ARGS, { place, env: { NO_COLOR: '1' } });
  await run.until('Bash until');
  letGo(place);
  await run.ended;
  expect(run.screen().replaceAll(ERASE, '')).not.toContain(ESC);
});
