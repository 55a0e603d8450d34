import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from './policy-for.ts';

describe('allow rules for commands', () => {
  const policy = policyFor({
    allow: rules('Bash(echo:*)', 'Bash(npm run test:*)', 'Bash(make all)', 'Bash(git fetch *)'),
  });

  it.each([
    'npm run test',
    'npm run test -- --watch',
    'npm run "test"',
    'make all',
    'make  all',
    'git fetch --all',
    'npm run test && make all; echo done',
    'sleep 1; npm run test',
  ])('[R-5] [R-6] lets %j pass', (command) => {
    expect(decide(bash(command), policy)).toMatchObject({ behavior: 'allow', layer: 'allow-rule' });
  });

  it('[TYP-01] `Bash(touch:*)` allows the touch of the reference', () => {
    expect(decide(bash('touch made-by-bash.txt'), policyFor({ allow: rules('Bash(touch:*)') })).behavior).toBe('allow');
  });

  it.each([
    'npm run tests',
    'npm run test:unit',
    'npm run testx',
    'npm runtest',
    'npm run',
    'npm',
    'NPM run test',
    'make all clean',
    'make allx',
    'make',
    'git fetchx',
    'git',
    './npm run test',
    '/tmp/npm run test',
    'npm  run-test',
  ])('[R-5] ends at word borders: %j', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('ask');
  });

  it.each([
    'echo x; touch y',
    'echo x && touch y',
    'echo x || touch y',
    'echo x | sh',
    'echo x |& sh',
    'echo x & touch y',
    'echo x\ntouch y',
    'echo x\r\ntouch y',
    'echo x\rtouch y',
    'echo x\u2028touch y',
    'echo x\u2029touch y',
    'echo x\u0085touch y',
    'echo x\vtouch y',
    'echo\u00a0x; touch y',
    'echo x\u200b; touch y',
    'echo $(touch y)',
    'echo "$(touch y)"',
    'echo `touch y`',
    'echo "`touch y`"',
    `echo \${x:-$(touch y)}`,
    `echo \${x@P}`,
    'echo $((a[$(touch y)]))',
    'echo x > y',
    'echo x >> y',
    'echo x >| y',
    'echo x &> y',
    'echo x >& y',
    'echo x 2> y',
    'echo x 1<> y',
    'echo x > /dev/tcp/127.0.0.1/1',
    'echo <(touch y)',
    'echo >(touch y)',
    'echo <<EOF\n$(touch y)\nEOF',
    'echo <<< $(touch y)',
    'echo() { touch y; }; echo',
    'function echo { touch y; }; echo',
    'alias echo=touch; echo y',
    '{ echo x; touch y; }',
    '(echo x; touch y)',
    'echo x; { touch y; }',
    'if echo x; then touch y; fi',
    'while echo x; do touch y; done',
    'for a in 1; do echo $a; touch y; done',
    'case x in x) echo x; touch y;; esac',
    'coproc echo x',
    'time echo x',
    'PATH=/tmp echo x',
    'IFS=x echo x',
    'env echo x',
    'command echo x',
    'exec echo x',
    'eval echo x',
    'echo x; exec touch y',
    'cd / && echo x && rm y',
    'export PATH=/tmp; echo x',
    'hash -p ./evil echo; echo x',
    'enable -n echo; echo x',
    './echo x',
    '/tmp/echo x',
    'echo x # comment\ntouch y',
    "echo 'x\n' ; touch y",
    'echo x\\\n; touch y',
    `echo ${'x'.repeat(100_000)}; touch y`,
    `${'echo x; '.repeat(200)}touch y`,
    `${'echo x\n'.repeat(200)}touch y`,
    `${' '.repeat(10_000)}touch y`,
    'echo;touch y',
    'echo&&touch y',
    '"echo x"; touch y',
    'echo "unclosed; touch y',
    "echo 'unclosed; touch y",
  ])('[R-2] `Bash(echo:*)` does not allow %j', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('ask');
  });

  it.each([
    'echo x &',
    '! echo x',
    '(echo x)',
    '{ echo x; npm run test; }',
    'echo x | cat',
    'npm run test 2>&1 | tail -5',
    'npm run test > /dev/null 2>&1 || echo failed',
    'if npm run test; then echo ok; else echo no; fi',
    'for a in 1 2; do npm run test; done',
    'while npm run test; do sleep 1; done',
    'npm run test src/*.ts',
    'CI=1 npm run test',
    'timeout 60 npm run test',
    'nohup nice -n 5 npm run test',
    'npm run test <<EOF\ntext\nEOF',
    'echo one # a comment\necho two',
    'npm run test \\\n  --watch',
  ])('[G5] [R-6] lets %j pass: every command in it is allowed', (command) => {
    expect(decide(bash(command), policy).behavior).toBe('allow');
  });

  it('[G5] a command with an effect of its own passes only by its whole text or the whole tool', () => {
    const command = 'ls | wc -l > count.txt';
    expect(decide(bash(command), policyFor({ allow: rules('Bash(ls:*)', 'Bash(wc:*)') })).behavior).toBe('ask');
    expect(decide(bash(` ${command}\n`), policyFor({ allow: rules(`Bash(${command})`) })).behavior).toBe('allow');
    expect(decide(bash(`${command}; rm x`), policyFor({ allow: rules(`Bash(${command})`) })).behavior).toBe('ask');
    expect(decide(bash(command), policyFor({ allow: rules('Bash') })).behavior).toBe('allow');
  });

  it('wildcards stand for words and parts of words, but never for the program', () => {
    const wild = policyFor({
      allow: rules('Bash(npm * --force)', 'Bash(npm run lint*)', 'Bash(* --version)', 'Bash(:*)'),
    });
    for (const command of [
      'npm x --force',
      'npm x y --force',
      'npm run lint',
      'npm run lint:css',
      'npm run lint -- .',
    ]) {
      expect(decide(bash(command), wild).behavior, command).toBe('allow');
    }
    for (const command of [
      'evil --version',
      'npm test',
      'npm --force',
      'npm x --forced',
      'npm x --force; evil',
      'npm run li',
    ]) {
      expect(decide(bash(command), wild).behavior, command).toBe('ask');
    }
  });

  it('[R-8] commands that read pass only inside the roots', () => {
    for (const command of ['cat a', 'ls', 'ls .', 'cat /project/a', 'grep x a', 'wc -l src/a', 'cat -']) {
      expect(decide(bash(command), policyFor())).toMatchObject({ behavior: 'allow', layer: 'default' });
    }
    for (const command of [
      'cat /etc/passwd',
      'ls ..',
      'cat ../x',
      'cat a/../../x',
      'grep x /etc/passwd',
      'ls /project-evil',
    ]) {
      expect(decide(bash(command), policyFor()).behavior, command).toBe('ask');
    }
    expect(decide(bash('cat /spill/1'), policyFor({ readRoots: ['/spill'] })).behavior).toBe('allow');
  });

  it('file commands pass where edits are accepted, alone and in sequences', () => {
    const accepting = policyFor({ mode: 'acceptEdits' });
    for (const command of [
      'touch a',
      'mkdir -p a/b && touch a/b/c',
      'rm -f a; echo gone',
      'cp a b',
      'mkdir d; mv a d',
    ]) {
      expect(decide(bash(command), accepting), command).toMatchObject({ behavior: 'allow', layer: 'mode' });
    }
    for (const command of [
      'touch /tmp/a',
      'touch ../a',
      'mv a /tmp',
      'cp /etc/passwd a',
      'touch a; npm test',
      'chmod +x a',
    ]) {
      expect(decide(bash(command), accepting).behavior, command).toBe('ask');
    }
  });
});
