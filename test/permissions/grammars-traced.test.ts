import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readShell } from '../../src/permissions/commands/read-shell.ts';
import { optionTable } from '../../src/permissions/grammars/argv.ts';
import { FILE_TOOLS } from '../../src/permissions/grammars/file-tools.ts';
import type { Grammar, TableGrammar } from '../../src/permissions/grammars/grammar.ts';
import { TEXT_TOOLS } from '../../src/permissions/grammars/text-tools.ts';
import { WRAPPERS } from '../../src/permissions/grammars/wrappers.ts';
import { whyUnknown } from '../../src/permissions/shell/shell-script.ts';
import { shellWord } from '../../src/util/text/shell-word.ts';
import { seededRandom } from '../support/fuzz.ts';
import { sampleOf } from '../support/shell-attacks.ts';
import { createTracer, installedPrograms, surprises, tryPrograms } from '../support/traced-programs.ts';
import { parseShell } from './policy-for.ts';

const isTraceable = spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;
const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-traced-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** They wait, need rights that tests do not have, lead out of the directory of the test, or are scripts themselves. */
const LEFT_OUT =
  /^(?:unbuffer|sync|df|rsync|mknod|chroot|busybox|toybox|watch|script|unshare|setpriv|runcon|gosu|su-exec|setuidgid|tini|cgexec|dbus-run-session|doas|ltrace|builtin|exec|ld\.so|shred|chown|chgrp|chattr|patch|numactl|rename|prename|cross-env.*|fakeroot-ng|aoss|padsp|yes|mktemp)$/;
const NEVER_ENDS =
  /^(?:f|F|follow|retry|pid|s|sleep-interval|files0-from|no-preserve-root|strip|S|buffer-size|parallel|batch-size|T)$/;

const programs = [...TEXT_TOOLS, ...FILE_TOOLS, ...WRAPPERS].flatMap((grammar) =>
  isTable(grammar) ? grammar.names.split(' ').map((name) => ({ name, grammar })) : [],
);
const tried = programs.filter(({ name }) => !LEFT_OUT.test(name) && pathOf(name) !== null);

function isTable(grammar: Grammar): grammar is TableGrammar {
  return !('read' in grammar);
}

function pathOf(name: string): string | null {
  return ['/usr/bin', '/bin'].map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

const VALUES: Record<string, readonly string[]> = {
  text: ['1', '2', 'a', 'x', '1,2'],
  in: ['in.txt', 'in2.txt'],
  tree: ['in.txt', 'sub'],
  out: ['out.txt', 'sub/out'],
  edit: ['in.txt', 'in2.txt'],
  taken: ['in2.txt', 'sub'],
  sh: ['true'],
  at: ['sub'],
};

/** Each program has its own numbers, so that nothing depends on which others are installed. */
function draws() {
  return tried.flatMap((program) => {
    const random = seededRandom(
      [...program.name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 2 ** 31,
    );
    return Array.from({ length: DRAWS }, () => ({ program, random }));
  });
}

function drawn({ name, grammar }: (typeof tried)[number], random: () => number): string[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const rows = [...new Set(optionTable(grammar.options ?? '').values())].filter(
    ({ never, names, role }) => !never && role in VALUES && !names.some((each) => NEVER_ENDS.test(each)),
  );
  const options = Array.from({ length: rows.length === 0 ? 0 : Math.floor(random() * 3) }, () => pick(rows)).flatMap(
    (row) => {
      const option = pick(row.names);
      const dashes = option.length === 1 ? `-${option}` : `--${option}`;
      if (row.takes === 'nothing') return [dashes];
      const value = pick(VALUES[row.role] ?? ['1']);
      if (row.takes === 'attached')
        return [random() < 0.5 ? dashes : option.length === 1 ? dashes + value : `${dashes}=${value}`];
      return random() < 0.5 ? [dashes, value] : [option.length === 1 ? dashes + value : `${dashes}=${value}`];
    },
  );
  const roles = typeof grammar.operands === 'string' ? grammar.operands.split(' ') : ['text', 'in'];
  const operands = roles.flatMap((role) =>
    role.startsWith('argv') ? ['cat', 'in.txt'] : role === '' ? [] : [pick(VALUES[role.replace('*', '')] ?? ['1'])],
  );
  // Where options may stand anywhere, some stand behind.
  const isMixed = !grammar.optionsFirst && random() < 0.3;
  return [name, ...(isMixed ? [...operands, ...options] : [...options, ...operands])];
}

const DRAWS = 3;

describe.skipIf(!isTraceable)('what programs really do with options drawn at random', () => {
  it('is tried with many programs of the tables', () => {
    const missing = programs.filter(({ name }) => pathOf(name) === null).map(({ name }) => name);
    process.stderr.write(`not installed, so not traced: ${missing.join(' ')}\n`);
    expect(tried.length).toBeGreaterThan(50);
  });

  it('[K44] [R-3] starts nothing and writes nothing that their grammar does not tell', () => {
    let known = 0;
    const wrong: string[] = [];
    const traced = createTracer(root);
    for (const { program, random } of draws()) {
      const argv = drawn(program, random);
      const script = readShell(argv.map(shellWord).join(' '), parseShell);
      if (whyUnknown(script) !== null) continue;
      known++;
      const { started, ...files } = traced(argv);
      // What a program has a shell run is told; its shell is not a command of its own.
      const isShell = (path: string) => basename(path) === 'sh' && argv.some((word) => word.endsWith('true'));
      const trace = { ...files, started: started.filter((path) => !isShell(path)) };
      wrong.push(...surprises(script, trace).map((what) => `${argv.join(' ')}: ${what}`));
    }
    expect(wrong).toEqual([]);
    expect(known).toBeGreaterThan(150);
  }, 120_000);

  it('[K44] [R-3] and neither does any other program with options of its own help: a sample, npm run trust -- deny tries all', () => {
    const { tried: names, leftOut } = installedPrograms();
    const reasons = new Map(
      leftOut.map(({ why }) => [why, leftOut.filter((each) => each.why === why).map(({ name }) => name)]),
    );
    for (const [why, left] of reasons) process.stderr.write(`not run, because ${why}: ${left.join(' ')}\n`);
    const sample = sampleOf(names, 40, seededRandom(5));
    const { wrong, known } = tryPrograms(sample, { draws: 3, seed: 5, root: join(root, 'help'), parse: parseShell });
    expect(wrong).toEqual([]);
    expect(known.size).toBeGreaterThan(sample.length / 3);
  }, 120_000);
});
