import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { whyIneffective } from '../../src/permissions/ineffective-rules.ts';
import { parseRule, type Rule } from '../../src/permissions/rules.ts';
import { policyFor } from './policy-for.ts';

function ruleOf(text: string): Rule {
  const parsed = parseRule(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.rule;
}

const policy = policyFor({ home: '/home/user' });

describe('an allow rule that can never allow anything', () => {
  test.each([
    ['WebFetch(example.com)', 'domain:HOST'],
    ['WebFetch(domain:)', 'domain:HOST'],
    ['Read(~somebody/notes)', 'path'],
    ['Edit(src/[a-z].ts)', 'path'],
    ['Write(!src/**)', 'path'],
    ['Bash(* install:*)', 'plain words'],
    ['Bash(cd src && npm test:*)', 'plain words'],
    ['Bash(*)', null], // every command
    ['TodoWrite(list)', 'nothing in parentheses'],
    ['WebSearch(weaving)', 'nothing in parentheses'],
    ['mcp__loom__weave(cloth)', 'nothing in parentheses'],
  ])('%s', (text, why) => {
    expect(whyIneffective(ruleOf(text), policy)).toEqual(why === null ? null : expect.stringContaining(why));
  });

  test.each([
    ...['Bash', 'Bash(git:*)', 'Bash(git commit *)', 'Bash(npm run test*)', 'Bash(echo "a b")', 'Bash(a && b)'],
    ...['Read(src/**)', 'Edit(//etc/hosts)', 'Write(~/notes/*.md)', 'Glob(docs)'],
    ...['WebFetch', 'WebFetch(domain:example.com)', 'WebFetch(domain:*.example.com)', 'WebFetch(domain:*)'],
    ...['Task(reviewer)', 'Agent(reviewer)', 'Skill(weave)', 'SlashCommand(/weave:*)', 'mcp__loom'],
  ])('%s is none', (text) => {
    expect(whyIneffective(ruleOf(text), policy)).toBeNull();
  });

  test.each([
    ['Bash(* install:*)', 'npm install x'],
    ['Bash(cd src && npm test:*)', 'cd src && npm test x'],
  ])('and indeed %s allows no %s', (text, command) => {
    const call = { toolName: 'Bash', input: {}, access: { kind: 'execute', command } as const };
    expect(decide(call, { ...policy, allow: [ruleOf(text)] }).behavior).toBe('ask');
  });
});
