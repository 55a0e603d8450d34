import { describe, expect, it } from 'vitest';
import { decide, denialText } from '../../src/permissions/decide.ts';
import { hidesPath } from '../../src/permissions/match-rule.ts';
import { bash, edit, other, policyFor, read, rules, write } from './policy-for.ts';

describe('the mode matrix', () => {
  const calls = {
    'Read inside': read('/project/a'),
    'Read outside': read('/etc/passwd'),
    'Bash echo': bash('echo x'),
    'Bash touch': bash('touch made-by-bash.txt'),
    'Bash npm': bash('npm test'),
    'Write inside': write('/project/new.txt'),
    'Write outside': write('/tmp/new.txt'),
    WebFetch: other('WebFetch'),
    'no access': { toolName: 'TodoWrite', input: {}, access: { kind: 'none' } as const },
  };
  const expected = {
    //                 read in, read out, echo,   touch,   npm,     write in, write out, fetch,  none
    default: ['allow', 'ask', 'allow', 'ask', 'ask', 'ask', 'ask', 'ask', 'allow'],
    acceptEdits: ['allow', 'ask', 'allow', 'allow', 'ask', 'allow', 'ask', 'ask', 'allow'],
    auto: ['allow', 'ask', 'allow', 'allow', 'ask', 'allow', 'ask', 'ask', 'allow'],
    dontAsk: ['allow', 'deny', 'allow', 'deny', 'deny', 'deny', 'deny', 'deny', 'allow'],
    plan: ['allow', 'ask', 'allow', 'ask', 'ask', 'ask', 'ask', 'ask', 'allow'],
    delegate: ['ask', 'ask', 'ask', 'ask', 'ask', 'ask', 'ask', 'ask', 'ask'],
    bypassPermissions: ['allow', 'allow', 'allow', 'allow', 'allow', 'allow', 'allow', 'allow', 'allow'],
  } as const;
  it.each(Object.keys(expected) as (keyof typeof expected)[])('[K4] holds for %s', (mode) => {
    const decided = Object.values(calls).map((call) => decide(call, policyFor({ mode })).behavior);
    expect(decided).toEqual(expected[mode]);
  });

  it('[TYP-01] default asks for Write', () => {
    expect(decide(write('/project/a'), policyFor())).toMatchObject({ behavior: 'ask', layer: 'default' });
  });

  it('[TYP-02] acceptEdits lets edits pass and asks for other commands', () => {
    const policy = policyFor({ mode: 'acceptEdits' });
    expect(decide(edit('/project/a'), policy)).toEqual({ behavior: 'allow', layer: 'mode' });
    expect(decide(bash('npm test'), policy).behavior).toBe('ask');
  });

  it('[TYP-03] [PRM-18] bypassPermissions counts only if it was permitted at launch', () => {
    const mode = 'bypassPermissions';
    expect(decide(bash('npm test'), policyFor({ mode }))).toEqual({ behavior: 'allow', layer: 'mode' });
    expect(decide(bash('npm test'), policyFor({ mode, bypassAllowed: false })).behavior).toBe('ask');
  });

  it('[TYP-04] plan holds back what an allow rule would let pass', () => {
    const policy = policyFor({ mode: 'plan', allow: rules('Write', 'Bash') });
    expect(decide(write('/project/a'), policy)).toMatchObject({ behavior: 'ask', layer: 'mode' });
    expect(decide(bash('npm test'), policy)).toMatchObject({ behavior: 'ask', layer: 'mode' });
  });

  it('[TYP-05] delegate asks for everything', () => {
    expect(decide(read('/project/a'), policyFor({ mode: 'delegate', allow: rules('Read') }))).toMatchObject({
      behavior: 'ask',
      layer: 'mode',
    });
  });

  it('[TYP-06] dontAsk denies what is not approved beforehand, and nothing else', () => {
    const policy = policyFor({ mode: 'dontAsk', allow: rules('Bash(npm test)'), ask: rules('Read(/secret)') });
    expect(decide(bash('npm test'), policy).behavior).toBe('allow');
    expect(decide(bash('npm publish'), policy)).toMatchObject({ behavior: 'deny', layer: 'mode' });
    expect(decide(read('/project/secret'), policy)).toMatchObject({ behavior: 'deny', layer: 'ask-rule' });
  });
});

describe('the order of layers', () => {
  it('[K7] a deny rule wins in every mode and over every allow rule', () => {
    for (const mode of [
      'default',
      'acceptEdits',
      'auto',
      'dontAsk',
      'plan',
      'delegate',
      'bypassPermissions',
    ] as const) {
      const policy = policyFor({
        mode,
        deny: rules('Write', 'mcp__db'),
        allow: rules('Write', 'mcp__db'),
        ask: rules('Write'),
      });
      expect(decide(write('/project/a'), policy)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
      expect(decide(other('mcp__db__drop'), policy)).toMatchObject({ behavior: 'deny', rule: { toolName: 'mcp__db' } });
    }
  });

  it('an ask rule wins over bypassPermissions and over allow rules', () => {
    const policy = policyFor({ mode: 'bypassPermissions', ask: rules('Bash(git push:*)'), allow: rules('Bash') });
    expect(decide(bash('git push'), policy)).toMatchObject({ behavior: 'ask', layer: 'ask-rule', suggestions: [] });
    expect(decide(bash('git $x'), policy)).toMatchObject({ behavior: 'ask', layer: 'ask-rule' });
    expect(decide(bash('git status'), policy).behavior).toBe('allow');
  });

  it.each(['default', 'acceptEdits', 'auto', 'plan', 'bypassPermissions'] as const)(
    '[G6] [R-11] protected paths are asked for in %s, whatever is allowed',
    (mode) => {
      const policy = policyFor({ mode, allow: rules('Edit', 'Edit(**)', 'Write') });
      for (const path of ['/project/.claude/settings.json', '/project/.git/hooks/pre-commit', '/project/.mcp.json']) {
        expect(decide(write(path), policy)).toMatchObject({
          behavior: 'ask',
          layer: 'protected-path',
          suggestions: [],
        });
      }
    },
  );

  it('[G6] a path that leads to a protected one, or nobody knows where, is protected too', () => {
    const mode = 'bypassPermissions';
    const leads = policyFor({ mode, realPath: () => '/project/.git/config' });
    expect(decide(write('/project/harmless'), leads)).toMatchObject({ behavior: 'ask', layer: 'protected-path' });
    const nowhere = policyFor({ mode, realPath: () => null });
    expect(decide(write('/project/harmless'), nowhere)).toMatchObject({ behavior: 'ask', layer: 'protected-path' });
  });

  it('[R-11] file commands never reach protected paths by themselves', () => {
    for (const mode of ['acceptEdits', 'auto'] as const) {
      for (const command of [
        'cp a .git/hooks/pre-commit',
        'cp a .git/hooks',
        'mv evil .claude',
        'mv a/settings.json .claude',
        'touch .mcp.json',
        'mkdir .claude',
        'rm -rf .git',
        'mv .git x',
        'cp a /home/user/.bashrc',
        'rm -rf .',
        'rm -rf /project',
        'rm -rf /',
      ]) {
        expect(decide(bash(command), policyFor({ mode })).behavior, command).toBe('ask');
      }
    }
  });
});

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
    'echo x &',
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
    '! echo x',
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

  it('[G5] a command that is not plain passes only by its whole text or the whole tool', () => {
    const command = 'ls | wc -l > count.txt';
    expect(decide(bash(command), policyFor({ allow: rules('Bash(ls:*)', 'Bash(wc:*)') })).behavior).toBe('ask');
    expect(decide(bash(` ${command}\n`), policyFor({ allow: rules(`Bash(${command})`) })).behavior).toBe('allow');
    expect(decide(bash(`${command}; rm x`), policyFor({ allow: rules(`Bash(${command})`) })).behavior).toBe('ask');
    expect(decide(bash(command), policyFor({ allow: rules('Bash') })).behavior).toBe('allow');
  });

  it('a rule with wildcards in the middle allows nothing but its own text', () => {
    const wild = policyFor({ allow: rules('Bash(npm * --force)', 'Bash(* --version)', 'Bash(:*)') });
    for (const command of ['npm x --force', 'evil --version', 'npm test']) {
      expect(decide(bash(command), wild).behavior).toBe('ask');
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

  it('fails closed for a spec that it cannot evaluate, and says so', () => {
    for (const text of ['Bash(npm * --force)', 'Bash($x:*)', 'Bash(:*)']) {
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

describe('path rules on tools', () => {
  it.each(['Edit(new.txt)', 'Write(new.txt)', 'NotebookEdit(new.txt)', 'MultiEdit(new.txt)', 'Edit(./new.txt)'])(
    '[K33] deny %s stops every tool that edits, in bypass too',
    (text) => {
      const policy = policyFor({ mode: 'bypassPermissions', deny: rules(text) });
      expect(decide(write('/project/new.txt'), policy)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
      expect(decide(edit('/project/new.txt'), policy).behavior).toBe('deny');
      expect(decide(edit('/project/other.txt'), policy).behavior).toBe('allow');
      expect(decide(read('/project/new.txt'), policy).behavior).toBe('allow');
    },
  );

  it('[K33] allow Write(src/**) lets edits below src pass and no others', () => {
    const policy = policyFor({ allow: rules('Write(src/**)') });
    expect(decide(edit('/project/src/a'), policy)).toMatchObject({ behavior: 'allow', layer: 'allow-rule' });
    expect(decide(edit('/project/lib/a'), policy).behavior).toBe('ask');
    expect(decide(edit('/project/src/a', '/project/lib/a'), policy).behavior).toBe('ask');
    expect(decide(read('/etc/src/a'), policy).behavior).toBe('ask');
  });

  it('a spec that cannot be evaluated denies every edit and allows none', () => {
    expect(
      decide(edit('/project/x'), policyFor({ mode: 'bypassPermissions', deny: rules('Edit([ab].txt)') })).behavior,
    ).toBe('deny');
    expect(decide(edit('/project/a.txt'), policyFor({ allow: rules('Edit([ab].txt)') })).behavior).toBe('ask');
  });

  it('[R-10] a search that could show a hidden file is refused unless the tools filter', () => {
    const deny = rules('Read(secrets/**)');
    const grep = (path: string) => ({ toolName: 'Grep', input: {}, access: { kind: 'read' as const, paths: [path] } });
    expect(decide(grep('/project'), policyFor({ deny })).behavior).toBe('deny');
    expect(decide(grep('/project/secrets'), policyFor({ deny, searchesFiltered: true })).behavior).toBe('deny');
    expect(decide(grep('/project/src'), policyFor({ deny })).behavior).toBe('allow');
    expect(decide(grep('/project'), policyFor({ deny, searchesFiltered: true })).behavior).toBe('allow');
    expect(hidesPath(policyFor({ deny }), '/project/secrets/a')).toBe(true);
    expect(hidesPath(policyFor({ deny }), '/project/a')).toBe(false);
  });

  it('a call that names no path is never inside', () => {
    expect(decide(read(), policyFor()).behavior).toBe('ask');
    expect(decide(edit(), policyFor({ mode: 'acceptEdits' })).behavior).toBe('ask');
  });
});

describe('what is said', () => {
  it('[PRM-15] suggests what the reference suggests', () => {
    const setMode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const add = (directory: string) => ({ type: 'addDirectories', directories: [directory], destination: 'session' });
    expect(decide(write('/project/new.txt'), policyFor())).toMatchObject({ layer: 'default', suggestions: [setMode] });
    expect(decide(write('/lab/outside.txt'), policyFor())).toMatchObject({
      layer: 'outside-roots',
      suggestions: [setMode, add('/lab')],
    });
    expect(decide(bash('touch made-by-bash.txt'), policyFor())).toMatchObject({
      suggestions: [add('/project'), setMode],
      blockedPath: '/project/made-by-bash.txt',
    });
    expect(decide(read('/lab/a'), policyFor())).toMatchObject({ layer: 'outside-roots', suggestions: [add('/lab')] });
    expect(decide(other('ExitPlanMode'), policyFor())).toMatchObject({ suggestions: [] });
  });

  it('[K32] [G7] the denial text says which tool, why, and whether it was asked', () => {
    const asked = decide(write('/project/a'), policyFor());
    const denied = decide(write('/project/a'), policyFor({ deny: rules('Write') }));
    if (asked.behavior === 'allow' || denied.behavior === 'allow') throw new Error('expected neither to pass');
    expect(denialText('Write', asked)).toMatch(/^Write needs permission, which was requested but not granted\. /);
    expect(denialText('Write', denied)).toMatch(/^Permission to use Write was denied\. The rule Write denies it/);
  });
});
