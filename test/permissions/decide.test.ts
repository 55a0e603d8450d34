import { describe, expect, it } from 'vitest';
import { decide, denialText, type Policy } from '../../src/permissions/decide.ts';
import { hiddenPaths } from '../../src/permissions/path-rules.ts';
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

  it('[K4] delegate lets those through that only hand out work, unless a rule says otherwise', () => {
    const call = { toolName: 'Task', input: {}, access: { kind: 'named', name: 'Explore', asks: false } as const };
    expect(decide(call, policyFor({ mode: 'delegate' })).behavior).toBe('allow');
    expect(decide(call, policyFor({ mode: 'delegate', ask: rules('Task(Explore)') })).behavior).toBe('ask');
    expect(decide(call, policyFor({ mode: 'delegate', deny: rules('Task(explore)') })).behavior).toBe('deny');
  });

  it('[K4] of several modes the strictest decision counts', () => {
    const outer = (mode: Policy['mode'], ...outerModes: Policy['mode'][]) => policyFor({ mode, outerModes });
    expect(decide(write('/project/a'), outer('bypassPermissions', 'acceptEdits')).behavior).toBe('allow');
    expect(decide(write('/project/a'), outer('acceptEdits', 'default')).behavior).toBe('ask');
    expect(decide(write('/project/a'), outer('plan', 'dontAsk')).behavior).toBe('deny');
    expect(decide(read('/project/a'), outer('plan', 'delegate')).behavior).toBe('ask');
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
    expect(decide(bash('npm install'), policy)).toMatchObject({ behavior: 'deny', layer: 'mode' });
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
    // Only what is denied is left out; what is to be asked for would be shown.
    expect(decide(grep('/project'), policyFor({ ask: deny, searchesFiltered: true })).behavior).toBe('ask');
    expect(hiddenPaths(policyFor({ deny }))('/project/secrets/a')).toBe(true);
    expect(hiddenPaths(policyFor({ deny }))('/project/a')).toBe(false);
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
