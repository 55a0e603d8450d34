import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { put } from '../../support/put.ts';
import { ROOT } from '../../support/root.ts';
import { createHouse, tempDir } from '../support.ts';

/** What the session comes to have only while an agent works, or changes meanwhile, is the agent's as well. */
const SERVER = join(ROOT, 'test/support/page-mcp-server.mjs');

/** A kind of agent that brings a server, one of whose tools is always denied. */
function bringing(calls: string) {
  const tools = [{ name: 'cut', permission_policy: 'always_deny' }];
  return { mcpServers: [{ own: { command: process.execPath, args: [SERVER, calls], tools } }] };
}

describe('[B-199] a tool that the server of an agent always denies', () => {
  const cases = [
    ['of an agent', { LEAD: [task('WORK go', { subagent_type: 'weaver' }), 'done'] }],
    [
      'of an agent of an agent',
      {
        LEAD: [task('MIDDLE go', { subagent_type: 'boss' }), 'done'],
        MIDDLE: [task('WORK go', { subagent_type: 'weaver' }), 'done'],
      },
    ],
  ] as const;

  test.each(cases)('never runs, whatever is allowed: %s', async (_whose, lines) => {
    const folder = tempDir();
    const work = [toolUse('mcp__own__cut', {}), toolUse('mcp__own__weave', {}), 'done'];
    const house = createHouse(cast({ ...lines, WORK: work }));
    const agents = JSON.stringify({
      weaver: { description: 'w', prompt: 'p', ...bringing(folder) },
      boss: { description: 'b', prompt: 'p', tools: ['Task'] },
    });
    const result = await house.connect({ agents, allowedTools: ['mcp__own', 'Task'] }).ask('LEAD go');
    expect(result.permission_denials).toMatchObject([{ tool_name: 'mcp__own__cut' }]);
    expect(callsIn(folder)).toEqual(['weave']);
  });
});

function callsIn(folder: string): string[] {
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[0] ?? '');
}

describe('[B-170] a skill that is new', () => {
  const skill = (text: string) => `---\ndescription: Helps\n---\n${text}`;

  test.each([
    ['beside others', true],
    ['where there was none', false],
  ])('can be loaded by a teammate that was there before: %s', async (_where, hasOld) => {
    const heard: string[] = [];
    const mateHears = (answer: ReturnType<typeof toolUse> | string) => (request: Parameters<typeof lastText>[0]) => {
      heard.push(lastText(request));
      return answer;
    };
    const house = createHouse(
      cast({
        LEAD: [
          toolUse('TeamCreate', { team_name: 'crew', description: 'A test' }),
          task('MATE wait for me', { team_name: 'crew', name: 'mate1' }),
          'Dispatched.',
          'Noted.',
          toolUse('SendMessage', { type: 'message', recipient: 'mate1', content: 'use it', summary: 'go' }),
          ...Array.from({ length: 8 }, () => 'Noted.'),
        ],
        MATE: ['I wait.', mateHears(toolUse('Skill', { skill: 'fresh' })), mateHears('It is loaded.'), 'I wait.'],
      }),
      { home: tempDir() },
    );
    if (hasOld) put(join(house.dir, '.claude/skills/old/SKILL.md'), skill('Old.'));
    const client = house.connect({ teams: true });
    await client.ask('LEAD go');
    await client.until(() => client.results.length > 1);
    put(join(house.dir, '.claude/skills/fresh/SKILL.md'), skill('Knit two, purl two.'));
    await client.control({ subtype: 'reload_skills' });
    client.say('tell the mate');
    await client.until(() => heard.length > 1);
    expect(heard[0]).toContain('- fresh: Helps');
    expect(heard[1]).toContain('Knit two, purl two.');
  });
});
