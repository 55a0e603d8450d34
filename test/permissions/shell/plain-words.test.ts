import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainArgv, plainSequence } from '../../../src/permissions/shell/plain-words.ts';

describe('plainArgv', () => {
  it.each<[string, string[]]>([
    ['echo hi', ['echo', 'hi']],
    ['  echo \t hi  ', ['echo', 'hi']],
    [`echo 'a b' "c d"`, ['echo', 'a b', 'c d']],
    [`e"ch"'o' x`, ['echo', 'x']],
    [`echo ""`, ['echo', '']],
    [`echo "a'b" 'c"d'`, ['echo', "a'b", 'c"d']],
    ['touch my\\ file', ['touch', 'my file']],
    ['\\rm x', ['rm', 'x']],
    ['echo "say \\"hi\\" for \\$5"', ['echo', 'say "hi" for $5']],
    ['grep "\\d" x', ['grep', '\\d', 'x']],
    ["echo '$(x) `y` ; | & * ?'", ['echo', '$(x) `y` ; | & * ?']],
    ['echo "wow! * ? ~ # [a] {b}"', ['echo', 'wow! * ? ~ # [a] {b}']],
    ['npm run build --mode=x a=b', ['npm', 'run', 'build', '--mode=x', 'a=b']],
    ['echo héllo 日本 🙂', ['echo', 'héllo', '日本', '🙂']],
    ["echo 'non\u00a0breaking'", ['echo', 'non\u00a0breaking']],
    ["echo 'two\nlines'", ['echo', 'two\nlines']],
  ])('[R-6] reads the words of %j', (command, argv) => {
    expect(plainArgv(command)).toEqual(argv);
  });

  const refused = [
    '',
    '   ',
    '# comment',
    'echo hi # comment',
    'a; b',
    'a && b',
    'a || b',
    'a\nb',
    'a | b',
    'a |& b',
    'a & b',
    'a &',
    'a > f',
    'a >> f',
    'a 2>&1',
    'a < f',
    'a <<EOF\nx\nEOF',
    'a <<< x',
    'a <(b)',
    'a >(b)',
    'a $x',
    `a \${x}`,
    'a $(b)',
    'a `b`',
    'a "$x"',
    'a "$(b)"',
    'a "`b`"',
    "a $'b'",
    'a $"b"',
    'a$IFS$9b',
    'a *',
    'a ?',
    'a [b]',
    'a {b,c}',
    'a ~',
    'a ~/x',
    '! a',
    '(a)',
    '{ a; }',
    'f() { a; }',
    'X=1 a',
    'X+=1 a',
    'X=1',
    "'X=1' a",
    'if a',
    'while a',
    'time a',
    'coproc a',
    'function a',
    '[[ a ]]',
    '[ a ]',
    '"" a',
    "a 'b",
    'a "b',
    'a \\',
    'a \\\nb',
    'a "b\\\nc"',
    'a\rb',
    'a\r\nb',
    'a\0b',
    "a 'b\0c'",
    "a 'b\rc'",
    'a\u00a0b',
    'a\u2028b',
    'a\u2029b',
    'a\u200bb',
    'a\u202eb',
    'a\ufeffb',
    'a\u3000b',
    'a\vb',
    'a\fb',
    'a\u001bb',
    'a \ud800',
    "a '\ud800'",
  ];
  it.each(refused)('[R-7] takes %j for nothing plain', (command) => {
    expect(plainArgv(command)).toBeNull();
  });

  it('agrees with bash about every text that it takes for plain', () => {
    const alphabet = [...`ab=-/.,:%@^+ \t'"\\;&|<>()$\`{}*?[]~!#\n\r\u00a0é`];
    const texts = fc
      .sample(fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }), { numRuns: 30_000, seed: 7 })
      .map((chars) => `a${chars.join('')}`);
    const plain = texts.flatMap((text) => {
      const argv = plainArgv(text);
      return argv === null ? [] : [{ text, argv }];
    });
    expect(plain.length).toBeGreaterThan(1000);
    expect(wordsInBash(plain.map(({ text }) => text))).toEqual(plain.map(({ argv }) => argv));
  });
});

describe('plainSequence', () => {
  it.each<[string, string[][]]>([
    [
      'sleep 0.5; echo p1',
      [
        ['sleep', '0.5'],
        ['echo', 'p1'],
      ],
    ],
    ['a && b || c', [['a'], ['b'], ['c']]],
    ['a\nb\n\nc\n', [['a'], ['b'], ['c']]],
    ['a &&\n b', [['a'], ['b']]],
    ['a;', [['a']]],
    ['a; b | c', [['a'], ['b'], ['c']]],
    ['a |\n b', [['a'], ['b']]],
    ['a;\n', [['a']]],
    ['\n\na', [['a']]],
    [
      "echo ';' && echo '&&'",
      [
        ['echo', ';'],
        ['echo', '&&'],
      ],
    ],
    ['a\\;b', [['a;b']]],
  ])('[G5] splits %j', (command, commands) => {
    expect(plainSequence(command)).toEqual(commands);
  });

  it.each([
    '',
    ';',
    '; a',
    'a ;; b',
    'a ; ; b',
    'a &&',
    'a || \n',
    '&& a',
    'a\n&& b',
    'a &&& b',
    'a ||| b',
    'a & b',
    'a |& b',
    'a |',
    '| a',
    'a | | b',
    'a; $(b)',
    'a; if b',
    'a; then b; fi',
    'a; X=1 b',
    'a\r\nb',
  ])('[K44] takes %j for not statically known', (command) => {
    expect(plainSequence(command)).toBeNull();
  });

  it('stays linear and uncapped for very long commands', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `echo ${at}`).join('; ');
    expect(plainSequence(many)).toHaveLength(20_000);
    expect(plainArgv(`echo '${'x'.repeat(200_000)}'`)).toHaveLength(2);
  });
});

/** Has bash itself split each text, given as the arguments of a function that prints them. */
function wordsInBash(texts: readonly string[]): string[][] {
  const script = `f() { printf '%s\\0' "$@"; printf '\\1\\0'; }\n${texts.map((text) => `f ${text}\n`).join('')}`;
  const { stdout, status } = spawnSync('bash', ['--norc', '--noprofile'], {
    input: script,
    env: { LC_ALL: 'C.UTF-8' },
  });
  expect(status).toBe(0);
  const groups: string[][] = [[]];
  for (const word of stdout.toString('utf8').split('\0').slice(0, -1)) {
    if (word === '\u0001') groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups.slice(0, -1);
}
