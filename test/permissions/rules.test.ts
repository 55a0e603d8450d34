import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coversTool, formatRule, parseRule, parseRules } from '../../src/permissions/rules.ts';

describe('parseRules', () => {
  it.each<[string | string[], string[]]>([
    ['Read', ['Read']],
    ['Bash(git commit:*), Read', ['Bash(git commit:*)', 'Read']],
    ['Bash(git commit:*) Read,Edit', ['Bash(git commit:*)', 'Read', 'Edit']],
    [
      ['Bash(npm run test:*)', 'mcp__db'],
      ['Bash(npm run test:*)', 'mcp__db'],
    ],
    [
      ['Read Edit', 'Write'],
      ['Read', 'Edit', 'Write'],
    ],
    ['mcp__db__query mcp__db__*', ['mcp__db__query', 'mcp__db__*']],
    ['Bash(echo (a, b))', ['Bash(echo (a, b))']],
    ['Bash(echo \\))', ['Bash(echo \\))']],
    ['Bash(*)', ['Bash']],
    ['Agent(Explore) Agent', ['Task(Explore)', 'Task']],
    ['BashOutput AgentOutput KillShell', ['TaskOutput', 'TaskOutput', 'TaskStop']],
    ['WebFetch(domain:example.com)', ['WebFetch(domain:example.com)']],
    [' , ', []],
    [[], []],
  ])('[PRM-13] reads %j', (input, texts) => {
    const { rules, problems } = parseRules(input);
    expect(problems).toEqual([]);
    expect(rules.map(formatRule)).toEqual(texts);
  });

  it.each(['Bash(rm', '(rm)', 'Bash()', 'Bash( )', 'Bash(a)b', 'Bash(a)(b)', '-x', '*', 'B@sh', 'Bash(a\\)'])(
    '[R-18] reports %j in words instead of dropping it',
    (text) => {
      const { rules, problems } = parseRules(text);
      expect(rules).toEqual([]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`'${text}' is no permission rule: `);
    },
  );

  it('keeps the good rules beside a bad one, and says where rules came from', () => {
    const { rules, problems } = parseRules(['Read', 'Bash(rm'], 'userSettings');
    expect(rules).toEqual([{ toolName: 'Read', source: 'userSettings' }]);
    expect(problems).toHaveLength(1);
  });

  it('[PRM-13] reads back what formatRule writes', () => {
    const content = fc.string({ unit: fc.constantFrom(...'ab()\\ :*,'), minLength: 1 }).map((text) => `x${text}y`);
    fc.assert(
      fc.property(content, (ruleContent) => {
        const rule = { toolName: 'Bash', ruleContent };
        expect(parseRule(formatRule(rule))).toEqual({ rule });
        expect(parseRules(`Read ${formatRule(rule)}, Edit`).rules[1]).toEqual(rule);
      }),
    );
  });
});

describe('coversTool', () => {
  it.each<[string, string, 'forbid' | 'allow', boolean]>([
    ['Read', 'Read', 'allow', true],
    ['Read', 'ReadMcpResource', 'forbid', false],
    ['Read', 'read', 'allow', false],
    ['Task', 'Agent', 'forbid', true],
    ['Agent', 'Task', 'forbid', true],
    ['KillShell', 'TaskStop', 'forbid', true],
    ['constructor', 'TaskStop', 'forbid', false],
    ['mcp__db', 'mcp__db__query', 'allow', true],
    ['mcp__db__*', 'mcp__db__query', 'allow', true],
    ['mcp__db__query', 'mcp__db__query', 'allow', true],
    ['mcp__db__query', 'mcp__db__query_all', 'allow', false],
    ['mcp__db', 'mcp__db2__query', 'forbid', false],
    ['mcp__a', 'mcp__a__b__c', 'forbid', true],
    ['mcp__a', 'mcp__a__b__c', 'allow', false],
    ['mcp__a__b', 'mcp__a__b__c', 'forbid', true],
    ['mcp__a__b', 'mcp__a__b__c', 'allow', false],
  ])('[K37] rule %s on tool %s, to %s: %s', (text, toolName, reading, covers) => {
    const [rule] = parseRules(text).rules;
    expect(rule && coversTool(rule, toolName, reading)).toBe(covers);
  });
});
