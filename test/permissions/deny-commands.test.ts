import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, other, policyFor, rules } from './policy-for.ts';

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
    const unrelated = rules('Write', 'WebFetch(domain:example.com)');
    expect(decide(bash(command), policyFor({ mode: 'bypassPermissions', deny: unrelated })).behavior).toBe('allow');
    expect(decide(bash(command), policyFor({ deny: unrelated })).behavior).toBe('ask');
    expect(decide(bash(command), policyFor({ deny: rules('Bash(rm:*)') })).behavior).toBe('deny');
    // It may touch any file, so a rule for one denies it, too.
    expect(decide(bash(command), policyFor({ mode: 'bypassPermissions', deny: rules('Edit(secret)') })).behavior).toBe(
      'deny',
    );
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
    for (const command of ['git push origin dev', 'some-tool i --forced', 'echo git push', 'make all']) {
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
