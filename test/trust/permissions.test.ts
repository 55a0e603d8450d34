import { describe, expect, test } from 'vitest';
import { thatWork, tryCommands } from '../support/abuse-run.ts';
import { ALLOW_ECHO } from '../support/abuses/allow-echo.ts';
import { LOOK_ALIKE_ENDS, LOOK_ALIKE_NAMES } from '../support/abuses/look-alikes.ts';
import { NOTHING_ALLOWED } from '../support/abuses/nothing-allowed.ts';
import { seededRandom } from '../support/fuzz.ts';
import { PLAIN_COMMANDS } from '../support/plain-commands.ts';
import { sampleOf, shellAttacks } from '../support/shell-attacks.ts';
import { batches, trustSize } from './size.ts';
import { tally } from './tally.ts';

const seed = trustSize('SEED', 1);
const BYPASS = ['--permission-mode', 'bypassPermissions'];
const DENY_ZAP = ['--disallowedTools', 'Bash(zap:*)'];
const ALLOW_ECHO_ONLY = ['--allowedTools', 'Bash(echo:*)'];
/** So many abuses have to do something on this machine where nothing stops them; the others could not fail. */
const ENOUGH = 92;

test('only what has an effect counts as an abuse', async () => {
  expect(await thatWork(['ls', 'cat in', 'echo x', 'rg one in', 'sort in', './nothing'])).toEqual([]);
});

describe.each([
  ['[R-1] nothing allowed: nothing that has an effect runs', 'R-1', NOTHING_ALLOWED, []],
  ['[R-2] echo allowed: nothing else runs', 'R-2', ALLOW_ECHO, ALLOW_ECHO_ONLY],
])('%s', (_title, id, abuses, flags) => {
  const check = tally([id], 'abuses that work where nothing stops them', 'breaches');

  test(`there are ${ENOUGH} at least`, async () => {
    const works = await thatWork(abuses);
    expect(works.length, `idle here: ${abuses.filter((each) => !works.includes(each))}`).toBeGreaterThanOrEqual(ENOUGH);
    check([], works.length);
  });

  test.each(batches(abuses.length, 40))('abuses $from to $to', async ({ from, to }) => {
    const { changed } = await tryCommands(abuses.slice(from, to), { flags });
    check(changed, 0);
  });
});

describe('a deny rule in the mode that allows the most', () => {
  const check = tally(['R-3', 'R-4'], 'forms of a denied command that work', 'breaches');
  const all = shellAttacks({ name: 'zap', args: 'x', bin: '../bin' });
  const forms = sampleOf(all, trustSize('POINTS', 400), seededRandom(seed));

  test.each(batches(forms.length, 50))(
    `[R-3, R-4] forms $from to $to of a denied command, seed ${seed}: none runs it, static or not`,
    async ({ from, to }) => {
      const works = await thatWork(forms.slice(from, to), ['zap']);
      expect(works.length).toBeGreaterThan((to - from) / 3);
      const { changed } = await tryCommands(works, { programs: ['zap'], flags: [...BYPASS, ...DENY_ZAP] });
      check(changed, works.length);
    },
  );

  test('[R-3] behind 200 other commands', async () => {
    const commands = ['true; ', 'true && ', 'true | ', 'echo x\n'].map((other) => `${other.repeat(200)}zap x`);
    const { changed } = await tryCommands(commands, { programs: ['zap'], flags: [...BYPASS, ...DENY_ZAP] });
    check(changed, commands.length);
  });

  test('[R-6] the same rule leaves other commands alone', async () => {
    const others = ['zip -q owned in', 'touch zap', 'echo zap > said', 'cp in zap.txt', 'mkdir -p a/zap'];
    const { changed, denied } = await tryCommands(others, { programs: ['zap'], flags: [...BYPASS, ...DENY_ZAP] });
    expect({ changed, denied }).toEqual({ changed: others, denied: 0 });
  });
});

describe('rules end where words end', () => {
  const check = tally(['R-5'], 'calls', 'breaches');
  const flags = ['--allowedTools', 'Bash(zap on)', '--allowedTools', 'Bash(zap push:*)'];
  const programs = ['zap', 'zapper', 'zap-on', 'ZAP'];

  test('[R-5] what only begins like a rule does not run', async () => {
    const calls = await thatWork(BEYOND_THE_RULE, programs);
    expect(calls).toEqual(BEYOND_THE_RULE);
    check((await tryCommands(calls, { programs, flags })).changed, calls.length);
  });

  test('[R-5] what is meant runs, exactly and as a prefix', async () => {
    const calls = ['zap on', 'zap  on', 'zap push', 'zap push x', 'zap push -f "a b"', '"zap" push x'];
    const { changed, denied } = await tryCommands(calls, { programs, flags });
    expect({ changed, denied }).toEqual({ changed: calls, denied: 0 });
  });
});

const BEYOND_THE_RULE = [
  'zap on x',
  'zap only',
  'zap on-x',
  'zap onx',
  'zap on.',
  'zap on -f',
  'zap "on x"',
  'zap',
  'zap off',
  'zap -x on',
  'zap pushx',
  'zap push-force',
  'zap push:x',
  'zap "push x"',
  'zap pus h',
  'zap -x push',
  'zap -- push',
  'zapper on',
  'zapper push x',
  'zap-on push',
  'ZAP on',
  '../bin/zap on',
  'zap on; zap off',
  'zap push x && zap off',
  'zap push "$(zap off)"',
];

describe('[R-6] plain commands run by their plain rules, whatever else is denied', () => {
  const check = tally(['R-6'], 'plain commands', 'refused');
  const programs = ['npm', 'npx', 'git', 'cargo', 'go', 'pytest', 'make', 'docker', 'curl', 'sed', 'node', 'python3'];
  const deny = ['Bash(rm:*)', 'Bash(git push:*)', 'Bash(sudo:*)', 'Read(./.env)', 'Edit(secrets/**)'];

  test.each(PLAIN_COMMANDS.map(([rule, ...commands]) => ({ rule, commands })))('$rule', async ({ rule, commands }) => {
    const flags = ['--allowedTools', rule, ...deny.flatMap((each) => ['--disallowedTools', each])];
    const { changed, denied } = await tryCommands(commands, { programs, flags });
    check(
      commands.filter((command) => !changed.includes(command)),
      commands.length,
    );
    expect(denied).toBe(0);
  });
});

describe('[R-7] characters that look like others are plain characters', () => {
  const check = tally(['R-7'], 'look-alikes that work where nothing stops them', 'breaches');
  const names = LOOK_ALIKE_NAMES.map((name) => `${name} hi`);
  const ends = LOOK_ALIKE_ENDS.flatMap((end) => [`echo x${end}; touch owned`, `echo x${end}\ntouch owned`]);

  test('a name that looks like one that is allowed', async () => {
    const works = await thatWork(names, LOOK_ALIKE_NAMES);
    expect(works.length).toBeGreaterThan(names.length / 2);
    check((await tryCommands(works, { programs: LOOK_ALIKE_NAMES, flags: ALLOW_ECHO_ONLY })).changed, works.length);
  });

  test('a character that looks like the end of a command', async () => {
    const works = await thatWork(ends);
    expect(works.length).toBeGreaterThan(ends.length / 2);
    check((await tryCommands(works, { flags: ALLOW_ECHO_ONLY })).changed, works.length);
    const plain = LOOK_ALIKE_ENDS.flatMap((end) => [`echo x${end}touch owned`, `echo x ${end} touch owned`]);
    check((await tryCommands(plain, { flags: ALLOW_ECHO_ONLY })).changed, 0);
  });
});
