import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse, type House } from '../support.ts';

/** A house whose user and project bring all that can lie around; the project is trusted. */
function furnished(): House {
  const house = createHouse([toolUse('Bash', { command: 'touch canary' }), 'done']);
  const home = join(dirname(house.dir), '.heddle');
  const write = (folder: string, name: string, content: string | JsonObject) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const hook = (name: string) => ({ hooks: [{ type: 'command', command: `touch ${join(house.dir, name)}` }] });
  const server = { command: 'no-such-program-here' };
  write(home, 'settings.json', {
    model: 'haiku',
    outputStyle: 'terse',
    permissions: { deny: ['Bash(touch:*)'] },
    hooks: { UserPromptSubmit: [hook('user-hook')] },
  });
  write(home, 'CLAUDE.md', 'Of the user.');
  write(home, 'output-styles/terse.md', '---\nname: terse\n---\nFew words.');
  write(home, '.claude.json', { mcpServers: { ofUser: server } });
  write(house.dir, '.claude/settings.json', { hooks: { UserPromptSubmit: [hook('project-hook')] } });
  write(house.dir, '.claude/skills/s/SKILL.md', '---\ndescription: A skill.\n---\nDo it.');
  write(house.dir, '.claude/agents/a.md', '---\nname: a\ndescription: An agent.\n---\nAct.');
  write(house.dir, '.claude/commands/c.md', 'A command.');
  write(house.dir, 'CLAUDE.md', 'Of the project.');
  write(house.dir, '.mcp.json', { mcpServers: { ofProject: server } });
  return house;
}

async function started(config: RunConfig) {
  const house = furnished();
  const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
  const client = house.connect({ trust: true, ...bypass, ...config });
  await client.ask('go');
  const init = client.of('system/init')[0] ?? {};
  const request = JSON.stringify(house.model.requests[0]);
  const { model, tools, agents, skills, slash_commands, mcp_servers } = init as Record<string, string[]>;
  return {
    model,
    tools,
    ran: existsSync(join(house.dir, 'canary')),
    hooks: ['user-hook', 'project-hook'].filter((name) => existsSync(join(house.dir, name))),
    memory: ['Of the user.', 'Of the project.'].filter((words) => request.includes(words)),
    isStyled: request.includes('Few words.'),
    customs: [agents?.includes('a'), skills?.includes('s'), slash_commands?.includes('c')],
    servers: mcp_servers,
  };
}

const NOTHING_AROUND = { hooks: [], memory: [], isStyled: false, customs: [false, false, false], servers: [] };

describe('a start without what lies around', () => {
  test('as a rule all of it counts', async () => {
    expect(await started({})).toMatchObject({
      model: expect.stringContaining('haiku'),
      ran: false,
      hooks: ['user-hook', 'project-hook'],
      memory: ['Of the user.', 'Of the project.'],
      isStyled: true,
      customs: [true, true, true],
      servers: [{ name: 'ofProject' }, { name: 'ofUser' }],
    });
  });

  test('[B-231] --bare: nothing of it counts, and there are few tools', async () => {
    const { model, tools, ran, ...around } = await started({ bare: true });
    expect(around).toEqual(NOTHING_AROUND);
    expect(tools).toEqual(['Bash', 'Read', 'Edit', 'Write']);
    expect(model).not.toContain('haiku');
    expect(ran).toBe(true);
  });

  test('[B-231] --bare: what the launch itself names counts', async () => {
    const settings = JSON.stringify({ model: 'haiku', permissions: { deny: ['Bash'] } });
    const mcpConfig = [JSON.stringify({ mcpServers: { given: { command: 'no-such-program-here' } } })];
    const found = await started({ bare: true, settings, mcpConfig, tools: ['Bash', 'Grep'] });
    expect(found).toMatchObject({ model: expect.stringContaining('haiku'), tools: ['Grep'], ran: false });
    expect(found.servers).toMatchObject([{ name: 'given' }]);
    expect(await started({ bare: true, settingSources: ['user'] })).toMatchObject({ memory: ['Of the user.'] });
  });

  test('[B-231] --safe-mode: rules and the model of settings count, nothing that changes how the agent works', async () => {
    const { model, tools, ran, ...around } = await started({ safeMode: true });
    expect(around).toEqual(NOTHING_AROUND);
    expect(tools).toContain('Grep');
    expect(model).toContain('haiku');
    expect(ran).toBe(false);
  });

  test('[B-231] --safe-mode: hooks of an administrator and of the launch act', async () => {
    const house = furnished();
    const hooks = (name: string) =>
      JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch ${name}` }] }] } });
    const client = house.connect({ safeMode: true, settings: hooks('of-launch'), managedSettings: hooks('of-admin') });
    await client.ask('go');
    expect(['of-launch', 'of-admin'].map((name) => existsSync(join(house.dir, name)))).toEqual([true, true]);
  });
});
