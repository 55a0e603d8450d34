import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, other, policyFor, rules } from './policy-for.ts';

describe('allow rules for commands', () => {
  const policy = policyFor({
    allow: rules('Bash(echo:*)', 'Bash(npm run test:*)', 'Bash(make all)', 'Bash(git log *)'),
  });

  it.each([
    'npm run test',
    'npm run test -- --watch',
    'npm run "test"',
    'make all',
    'make  all',
    'git log --oneline',
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
    'git logx',
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

describe('deny rules for commands', () => {
  const policy = policyFor({
    mode: 'bypassPermissions',
    deny: rules('Bash(rm:*)', 'Bash(git push:*)', 'Bash(make clean)'),
  });

  it.each([
    'rm x',
    'rm',
    '/bin/rm x',
    '../../bin/rm x',
    'RM x',
    '\\rm x',
    "'rm' x",
    'r"m" x',
    'r\\m x',
    'echo a; rm x',
    'echo a && rm x',
    'echo a || rm x',
    'echo a\nrm x',
    'echo a | rm x',
    'echo a & rm x',
    '(rm x)',
    '{ rm x; }',
    'X=1 rm x',
    'env rm x',
    'env X=1 rm x',
    'env -S "rm x"',
    'command rm x',
    'builtin command rm x',
    'exec rm x',
    'nohup rm x',
    'nice -n 5 rm x',
    'timeout 5 rm x',
    'setsid rm x',
    'stdbuf -o0 rm x',
    'sudo -u root rm x',
    'time rm x',
    'busybox rm x',
    'xargs rm',
    'echo x | xargs rm',
    'find . -exec rm {} +',
    'find . -exec rm x +',
    'find . -name x -execdir /bin/rm y +',
    'bash -c "rm x"',
    'sh -c "r\'\'m x"',
    'env bash -c "rm x"',
    'bash',
    'bash -s',
    'eval rm x',
    'eval "r"m x',
    'source f',
    '. ./f',
    'trap "rm x" EXIT',
    'alias x=rm; x y',
    'hash -p /bin/rm y; y x',
    'ln -s /bin/rm y',
    'cp /bin/rm y',
    'if true; then rm x; fi',
    'for a in x; do rm $a; done',
    'while rm x; do :; done',
    'echo $(rm x)',
    'echo `rm x`',
    'cat <(rm x)',
    'cat <<EOF\n$(rm x)\nEOF',
    'bash <<EOF\nrm x\nEOF',
    'bash <<< "rm x"',
    'echo "rm x" | sh',
    'x=rm; $x y',
    '$X y',
    '/bin/r? x',
    '/bin/r* x',
    '{r,}m x',
    'f() { rm x; }; f',
    `python3 -c "import os; os.system('rm x')"`,
    `perl -e 'system("rm x")'`,
    `awk 'BEGIN { system("rm x") }'`,
    "git -c alias.y='!rm x' y",
    'git -c core.pager=\'r""m x\' log',
    "git submodule foreach 'rm x'",
    'git rebase --exec "rm x" main',
    'git bisect run rm x',
    'git config alias.y \'!r""m x\'',
    `awk 'BEGIN { system("r" "m x") }'`,
    `python3 -c 'import os; os.system("r" + "m x")'`,
    "sed 's/x/y/e' f",
    'unshare rm x',
    'rg --pre=rm x',
    'man -Prm ls',
    'PAGER="rm x" git log',
    'bash wrap.sh rm x',
    'ssh host "rm x"',
    'git push',
    'git push origin main',
    'git -C . push',
    'git --no-pager push --force',
    '/usr/bin/git push',
    'nohup git push',
    'make clean',
    'make  "clean"',
    'nohup make clean',
    'touch a; make clean',
    `python3 -c "import os; os.system('make clean')"`,
  ])('[R-3] [R-4] denies %j, also in bypassPermissions', (command) => {
    expect(decide(bash(command), policy)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
  });

  it.each([
    'touch x',
    'echo rm',
    'echo "git push"',
    'cat rm',
    'grep rm notes.txt',
    'rmdir x',
    'npm test',
    'npm test && echo ok',
    'timeout 60 npm test',
    'git status',
    'git pull',
    'git commit -m "rm old files"',
    'git commit --message="git push later"',
    'bash build.sh',
    './build.sh',
    'python3 -m pytest',
    'node index.js',
    'make',
    'make clean-all',
    'touch firmware.rm.txt',
  ])('[R-6] leaves %j alone', (command) => {
    expect(decide(bash(command), policy)).toEqual({ behavior: 'allow', layer: 'mode' });
  });

  it('[K44] without Bash deny rules a command that is not plain runs in bypass and asks otherwise', () => {
    const command = 'x=rm; $x y';
    const unrelated = rules('Write', 'Edit(secret)');
    expect(decide(bash(command), policyFor({ mode: 'bypassPermissions', deny: unrelated })).behavior).toBe('allow');
    expect(decide(bash(command), policyFor({ deny: unrelated })).behavior).toBe('ask');
    expect(decide(bash(command), policyFor({ deny: rules('Bash(rm:*)') })).behavior).toBe('deny');
  });

  it('[R-5] wildcards in a deny rule stand for any words, and for parts of them', () => {
    const wild = policyFor({
      mode: 'bypassPermissions',
      deny: rules('Bash(git * main)', 'Bash(* --force)', 'Bash(mk*)'),
    });
    for (const command of [
      'git push origin main',
      'git  push main',
      'npm i --force',
      'x --force',
      'mkfs /dev/x',
      '/sbin/mkfs.ext4 y',
    ]) {
      expect(decide(bash(command), wild).behavior, command).toBe('deny');
    }
    for (const command of ['git push origin dev', 'npm i --forced', 'echo git push', 'make all']) {
      expect(decide(bash(command), wild).behavior, command).toBe('allow');
    }
  });

  it('a deny rule for a command that is more than words means all that begins like it', () => {
    const policy = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(rm -rf $HOME)', 'Bash(curl -s x | sh)') });
    expect(decide(bash('rm -rf "$HOME"'), policy).behavior).toBe('deny');
    expect(decide(bash('rm -rf x'), policy).behavior).toBe('deny');
    expect(decide(bash('rm x'), policy).behavior).toBe('allow');
    expect(decide(bash('rm -rf x'), policyFor({ allow: rules('Bash(rm -rf $HOME)') })).behavior).toBe('ask');
  });

  it('fails closed for a spec that it cannot evaluate, and says so', () => {
    for (const text of ['Bash($x:*)', 'Bash(:*)', 'Bash(* *)', 'Bash("a b*")']) {
      const decision = decide(bash('echo x'), policyFor({ deny: rules(text) }));
      expect(decision).toMatchObject({ behavior: 'deny', reason: expect.stringContaining('cannot tell') });
    }
    const fetch = policyFor({ mode: 'bypassPermissions', deny: rules('WebFetch(domain:example.com)') });
    expect(decide(other('WebFetch'), fetch)).toMatchObject({
      behavior: 'deny',
      reason: expect.stringContaining('cannot tell'),
    });
    expect(decide(other('WebSearch'), fetch).behavior).toBe('allow');
    expect(decide(other('WebFetch'), policyFor({ allow: rules('WebFetch(domain:example.com)') })).behavior).toBe('ask');
  });

  it('holds file commands to path rules', () => {
    const paths = policyFor({ mode: 'bypassPermissions', deny: rules('Edit(locked.txt)', 'Read(secret.txt)') });
    for (const command of [
      'touch locked.txt',
      'cp a locked.txt',
      'rm ./x/../locked.txt',
      'cat secret.txt',
      'cp secret.txt a',
      'echo a; head -1 /project/secret.txt',
    ]) {
      expect(decide(bash(command), paths).behavior, command).toBe('deny');
    }
    expect(decide(bash('cat locked.txt; echo secret.txt'), paths).behavior).toBe('allow');
  });
});
