import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsParser, readShell } from '../../../src/permissions/commands/read-shell.ts';
import { readPlain } from '../../../src/permissions/shell/plain-words.ts';
import { everyCommand, everyRedirect, type Word, whyUnknown } from '../../../src/permissions/shell/shell-script.ts';
import { parseShell } from '../policy-for.ts';

const read = (text: string) => readShell(text, parseShell);
/** What is not known of a word is shown as `…`, the home as `~`, a list of files by its pattern. */
const shown = (word: Word): string => {
  if (typeof word === 'string') return word;
  const gaps = { char: '?', name: '*', text: '…', home: '~' };
  return word.parts.map((part) => (typeof part === 'string' ? part : gaps[part.any])).join('');
};
const commandsIn = (text: string) => everyCommand(read(text)).map(({ words }) => words.map(shown).join(' '));

describe('the commands of a script', () => {
  it.each<[string, string[]]>([
    ['a && (b; c) || { d; } & e', ['a', 'b', 'c', 'd', 'e']],
    ['a |& b', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for i in $(a) b; do c "$i"; done', ['a', 'c …']],
    ['select i in x; do a; done', ['a']],
    ['case $(a) in x|y) b;; *) c;; esac', ['a', 'b', 'c']],
    ['f() { a; }; function g { b; }', ['a', 'b']],
    ['! a', ['a']],
    ['a "$(b)" `c` <(d) >(e)', ['b', 'c', 'd', 'e', 'a … … … …']],
    [`a \${x:-$(b)} "\${y:-$(c)}"`, ['b', 'c', 'a … …']],
    ['X=$(a) b', ['a', 'b']],
    ['x=(a $(b))', ['b', '']],
    ['[[ -n $(a) && $x == b* ]] && [ -f "$y" ]', ['a', '[ -f … ]']],
    ['a <<E\n$(b) $x\nE\nd', ['b', 'a', 'd']],
    ["a <<'E'\n$(b)\nE", ['a']],
    ['a <<-E | b\n\tx\n\tE', ['b', 'a']],
    ['a <<E && b\nx\nE', ['b', 'a']],
    ['a <<< "$(b)"', ['b', 'a']],
    ['> f a b', ['a b']],
    ['a # b; c\nd', ['a', 'd']],
    ['a \\\n  b', ['a b']],
    [`$'r\\x6d' "b c" d\\ e 'f'"g"`, ['rm b c d e fg']],
    ['a *.ts [ab]? ~/x {b,c} HEAD~1 stash@{0}', ['a *.ts ?? ~/x … HEAD~1 stash@{0}']],
    ['export A=$(b) C=1', ['b', 'export A=… C=1']],
    ['git commit -m "$(cat <<\'E\'\none\n\ntwo\nE\n)"', ['cat', 'git commit -m one\n\ntwo']],
    // what commands start
    ['sudo -u root A=1 rm x', ['sudo -u root A=1 rm x', 'rm x']],
    [
      'nohup nice -n 5 timeout -s KILL 3 rm x',
      ['nohup nice -n 5 timeout -s KILL 3 rm x', 'nice -n 5 timeout -s KILL 3 rm x', 'timeout -s KILL 3 rm x', 'rm x'],
    ],
    ['env -i A=1 rm x', ['env -i A=1 rm x', 'rm x']],
    ['env -S "rm x" y', ['env -S rm x y', 'rm x y']],
    ['command -p rm x; command -v rm', ['command -p rm x', 'rm x', 'command -v rm']],
    ['exec -a b rm x', ['exec -a b rm x', 'rm x']],
    ['ls | xargs -0 -n 1 rm', ['ls', 'xargs -0 -n 1 rm', 'rm …']],
    ['ls | xargs -I{} cp {} x/{}', ['ls', 'xargs -I{} cp {} x/{}', 'cp … x/…']],
    [
      'find . -exec rm {} + -o -name x -execdir cp {} y \\;',
      ['find . -exec rm {} + -o -name x -execdir cp {} y ;', 'rm …', 'cp … y'],
    ],
    ['find . -delete', ['find . -delete', 'rm …']],
    [`bash -ec 'a; "$(b)"' c`, [`bash -ec a; "$(b)" c`, 'b', 'a', '…']],
    ['eval "a; b" c', ['eval a; b c', 'a', 'b c']],
    ['trap "rm x" EXIT', ['trap rm x EXIT', 'rm x']],
    ["bash <<'E'\nrm x\nE", ['bash', 'rm x']],
    ['sh <<< "rm x"', ['sh', 'rm x']],
    ['watch -n 1 "rm x"', ['watch -n 1 rm x', 'sh -c rm x', 'rm x']],
    ['flock -n lock rm x', ['flock -n lock rm x', 'rm x']],
    ['flock lock -c "rm x"', ['flock lock -c rm x', 'sh -c rm x', 'rm x']],
    ['busybox rm x', ['busybox rm x', 'rm x']],
    ['time rm x; coproc rm y', ['time rm x', 'rm x', 'coproc rm y', 'rm y']],
  ])('[R-3] of %j are all listed', (text, commands) => {
    expect(commandsIn(text).sort()).toEqual([...commands].sort());
  });

  it('hands the input of a command on to what it starts', () => {
    expect(whyUnknown(read("sudo bash <<'E'\nrm x\nE"))).toBeNull();
    expect(commandsIn("sudo bash <<'E'\nrm x\nE")).toContain('rm x');
  });

  it.each<[string, string[]]>([
    ['a > f', ['write f']],
    ['a >> "f g" 2> h', ['write f g', 'write h']],
    ['a &> f; b >| g; c >& h', ['write f', 'write g', 'write h']],
    ['a < f > /dev/null 2>&1', ['read f', 'write /dev/null']],
    ['{ a; } > f; if b; then c; fi < g', ['write f', 'read g']],
    ['a > ~/f', ['write ~/f']],
    ['a $(< f)', ['read f']],
    ['a < <(b)', []],
    ["bash -c 'a > f'", ['write f']],
  ])('[R-2] the files that the shell opens in %j are listed', (text, files) => {
    expect(everyRedirect(read(text)).map(({ kind, target }) => `${kind} ${shown(target)}`)).toEqual(files);
  });
});

describe('what is not known beforehand', () => {
  it.each([
    // programs
    '$x a',
    '"$x" a',
    '/bin/r? a',
    '{r,}m a',
    '$(echo rm) a',
    '~/a',
    'sudo $x',
    'xargs $x',
    'env A=$x rm',
    // code
    'bash',
    'bash -s',
    'echo a | sh',
    'bash -c "$x"',
    'bash "$x"',
    'bash <(a)',
    'bash < f',
    'bash <<E\n$x\nE',
    'zsh -c a',
    'sh -c "[[ a && b ]]"',
    'eval "$x"',
    'source f',
    '. f',
    'alias x=y',
    'trap "$x" EXIT',
    'parallel a ::: b',
    'python3',
    'echo a | python3 -',
    'python3 -c "$x"',
    'awk "$x" f',
    'su',
    'script f',
    'sudo -s',
    'env --foo a',
    // evaluation in disguise
    `echo \${x@P}`,
    `echo \${!x}`,
    `echo \${x[$y]}`,
    'echo $((x))',
    'echo $((a[0]))',
    '((x++))',
    'for ((i=0;i<3;i++)); do a; done',
    '[[ $x -eq 1 ]]',
    '[[ -v x ]]',
    "[ -v 'a[$(b)]' ]",
    '[ $x ]',
    '[ "$x" "$y" ]',
    'let x',
    'declare -i x=1',
    "printf -v 'a[b]' x",
    "read 'a[b]'",
    'unset "$x"',
    'a[x]=1',
    "PS4='$(a)' b",
    'BASH_ENV=f bash x.sh',
    'PAGER=$x git log',
    'shopt -s extglob',
    'set -o posix',
    'a $(b <<E\nx\nE\nc; d)',
    // files
    'a > $f',
    'a > f*',
    'a < "$f"',
    'echo a > f; bash f',
    'echo a > f; chmod +x f; ./f',
    // what bash would not take for what it looks like
    'a (b)',
    'a; )',
    'if a',
    'a <<E\nb',
    'a "b',
    'r\\\nm x',
    'coproc X { a; }',
    'time ! a',
    '>& -rm x',
    'a 3<> f',
    'a \ud800',
    'a \0',
    '',
    '   ',
  ])('[R-4] [K44] %j counts as such', (text) => {
    expect(whyUnknown(read(text))).toEqual(expect.any(String));
  });

  it.each([
    'echo $x "$y" *.ts',
    'bash build.sh "$x"',
    'python3 script.py "$x"',
    'node a.js $?',
    'awk 1 "$x"',
    'node -e 1',
    '[ -f "$x" ] && [ "$x" = "$y" ] && [ $# -eq 0 ]',
    '[[ -n $x && $# -gt 1 ]]',
    'echo $((1 + 2 * $#))',
    'x=1; y="$(pwd)"',
    'export PATH="$HOME/bin:$PATH"',
    'set -euo pipefail',
    'cat > f <<E\n$x\nE',
    'find . -name "$x" -type f',
    'CI=1 NODE_ENV=$x npm test',
  ])('[R-6] %j is known well enough', (text) => {
    expect(whyUnknown(read(text))).toBeNull();
  });

  it('more than bash takes in one argument is not read at all', () => {
    expect(whyUnknown(read(`echo '${'x'.repeat(120_000)}'`))).toBeNull();
    expect(whyUnknown(read(`echo '${'x'.repeat(140_000)}'`))).toMatch(/too long/);
    expect(whyUnknown(read(`echo "$x" ${'x'.repeat(140_000)}`))).toMatch(/too long/);
  });
});

describe('without the parser', () => {
  it('plain commands are read all the same, the code of shells included', () => {
    const script = readShell("sudo bash -c 'a; rm x' | tail -5", null);
    expect(needsParser(script)).toBe(false);
    expect(everyCommand(script).map(({ words }) => words.join(' '))).toContain('rm x');
  });

  it.each(['a $x', 'a > f', '(a)', "bash -c 'a $x'", 'eval "a > f"'])('[K44] %j is not known', (text) => {
    const script = readShell(text, null);
    expect(needsParser(script)).toBe(true);
    expect(whyUnknown(script)).toMatch(/not a plain sequence/);
  });

  it('[G5] both readings agree on whatever is plain', () => {
    const pieces = [
      ...`abcde  \t\n;&|"'\\=-,.1:/@%^+_é日🙂`,
      "''",
      '&&',
      '||',
      '\\"',
      'if',
      'do',
      'in',
      'done',
      'export ',
    ];
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((chars) => `a ${chars.join('')}`);
    let compared = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const plain = readPlain(text);
        const parsed = plain === null ? null : parseShell(text);
        // The grammar does not know some odd names of programs; it may refuse, but not differ.
        if (plain === null || parsed === null) return;
        compared++;
        expect(parsed.commands.map(({ words }) => words)).toEqual(plain.commands);
        expect(parsed.redirects).toEqual([]);
      }),
      { numRuns: 4000, seed: 11 },
    );
    expect(compared).toBeGreaterThan(300);
  });

  it.each([
    'npm test',
    'git commit -m "fix: a; b && c"',
    "echo 'it''s' \"a b\" c\\ d && ls -la | wc -l; pwd\ndate",
    'node --test --test-name-pattern="^a b" test/x.js || echo failed',
    'docker run --rm -v /a:/b -e X=y image@sha256:0123 cmd',
    'curl -s https://example.com/a\\?b=c\\&d=e',
  ])('[G5] both readings give the same for %j', (text) => {
    expect(parseShell(text)?.commands.map(({ words }) => words)).toEqual(readPlain(text)?.commands ?? null);
  });
});

it('never throws, whatever it is given', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each).toString('latin1'));
  const shellish = fc
    .array(
      fc.constantFrom(...`ab $(){}[]<>|&;"'\`\\\n\t#=*?~!-^%@0`, '<<E\n', '$((', '${', 'if ', 'case ', 'esac', 'for '),
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(bytes, shellish, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
      expect(() => read(text)).not.toThrow();
    }),
    { numRuns: 3000, seed: 5 },
  );
});
