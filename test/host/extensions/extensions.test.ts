import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, settingsWith } from '../../hooks/support.ts';
import { acceptPlugin } from '../../support/accept-plugin.ts';
import { put } from '../../support/put.ts';
import { type Client, createHouse, type House, lastTexts, tempDir } from '../support.ts';

const skill = (text: string) => `---\ndescription: Helps\n---\n${text}`;
const initOf = (client: Client) => client.of('system/init').at(-1) as Record<string, unknown>;
const warningsOf = ({ logs }: House) => logs.flatMap(({ level, message }) => (level === 'warn' ? message : []));

describe('skills of added directories', () => {
  test('are there, commands and agents are not; none without the source', async () => {
    const house = createHouse(['one', 'two']);
    const added = tempDir();
    put(join(added, '.claude/skills/knit/SKILL.md'), skill('Knit.'));
    put(join(added, '.claude/commands/purl.md'), 'Purl.');
    const client = house.connect({ addDir: [added] });
    await client.ask('1');
    expect(initOf(client).skills).toEqual(['debug', 'knit']);
    expect(initOf(client).slash_commands).not.toContain('purl');
    const without = house.connect({ addDir: [added], settingSources: [] });
    await without.ask('2');
    expect(initOf(without).skills).toEqual(['debug']);
  });

  test('[G1] are only texts where nobody trusts the directory', async () => {
    const house = createHouse(['one']);
    const added = tempDir();
    put(join(added, '.claude/skills/knit/SKILL.md'), 'Today: !`echo monday`');
    const connect = (trust?: true) =>
      house.connect({ addDir: [added], allowedTools: ['Bash'], ...(trust && { trust }) });
    expect(await connect().ask('/knit')).toMatchObject({ is_error: true, error_code: 'command_refused' });
    expect(await connect(true).ask('/knit')).toMatchObject({ is_error: false });
    expect(lastTexts(house.model.requests[0]).join()).toContain('Today: monday');
    expect(warningsOf(house).join()).toContain('SKILL.md (shell commands)');
  });
});

describe('[B-241] plugins that settings enable', () => {
  /** A plugin in the cache of the home. */
  function install(house: House, files: Record<string, string>) {
    const home = join(house.dir, '../.heddle');
    const folder = join(home, 'plugins/cache/shop/kit/1.0.0');
    put(join(folder, '.claude-plugin/plugin.json'), '{"name":"kit"}');
    for (const [name, text] of Object.entries(files)) put(join(folder, name), text);
    const record = { scope: 'user', version: '1.0.0', installPath: folder };
    put(
      join(home, 'plugins/installed_plugins.json'),
      JSON.stringify({ version: 2, plugins: { 'kit@shop': [record] } }),
    );
    return {
      folder,
      accept: () => acceptPlugin(home, folder),
      enable: (on: boolean) => put(join(home, 'settings.json'), JSON.stringify({ enabledPlugins: { 'kit@shop': on } })),
    };
  }

  test('bring all that others do; one that is switched off brings nothing', async () => {
    const house = createHouse(['one', 'two']);
    const fired = join(house.dir, 'fired');
    const { folder, accept, enable } = install(house, {
      'commands/hello.md': 'Hello from $' + '{CLAUDE_PLUGIN_ROOT}',
      'skills/knit/SKILL.md': skill('Knit.'),
      'agents/weaver.md': '---\nname: weaver\ndescription: Weaves\n---\nWeave.',
      'hooks/hooks.json': settingsWith({ Stop: [command(`echo x > ${fired}`)] }),
    });
    await accept();
    enable(false);
    const off = house.connect();
    await off.ask('1');
    expect(initOf(off)).toMatchObject({ plugins: [], skills: ['debug'] });
    expect(existsSync(fired)).toBe(false);
    enable(true);
    const client = house.connect();
    await client.ask('/kit:hello');
    expect(initOf(client)).toMatchObject({
      plugins: [{ name: 'kit', path: folder, source: 'kit@shop' }],
      skills: ['debug', 'kit:knit'],
      agents: expect.arrayContaining(['kit:weaver']),
    });
    expect(lastTexts(house.model.requests[1]).join()).toContain(`Hello from ${folder}`);
    expect(existsSync(fired)).toBe(true);
  });

  test('[G10] act only with the content that was accepted; until then their texts load, and it is said', async () => {
    const house = createHouse(['one', 'two', 'three', 'four']);
    const fired = join(house.dir, 'fired');
    const { folder, accept, enable } = install(house, {
      'commands/hello.md': '---\nallowed-tools: Bash\n---\nHello.',
      'commands/today.md': 'Today: !`echo monday`',
      'hooks/hooks.json': settingsWith({ Stop: [command(`echo x > ${fired}`)] }),
      '.mcp.json': '{"x":{"command":"false"}}',
    });
    enable(true);
    const waits = async (why: string) => {
      rmSync(fired, { force: true });
      const client = house.connect();
      await client.ask('/kit:hello');
      expect(initOf(client)).toMatchObject({
        plugins: [{ name: 'kit' }],
        slash_commands: expect.arrayContaining(['kit:hello', 'kit:today']),
        mcp_servers: [],
        plugin_errors: [{ plugin: 'kit@shop', type: 'not-accepted', message: expect.stringContaining(why) }],
      });
      expect(await house.connect().ask('/kit:today')).toMatchObject({ is_error: true });
      expect(existsSync(fired)).toBe(false);
    };
    await waits('its hooks, MCP servers, shell commands, allowed tools wait: heddle plugin accept kit@shop');
    await accept();
    const client = house.connect();
    await client.ask('/kit:today');
    expect(initOf(client)).not.toHaveProperty('plugin_errors');
    expect(existsSync(fired)).toBe(true);
    put(join(folder, 'hooks/more.sh'), 'echo');
    await waits('it has changed since it was accepted');
    rmSync(join(folder, 'hooks/more.sh'));
    await house.connect().ask('1');
    expect(existsSync(fired)).toBe(true);
  });

  test('that are not there are said, here and to the host, and the session goes on', async () => {
    const house = createHouse(['one']);
    const client = house.connect({ settings: '{"enabledPlugins":{"gone@shop":true}}' });
    await client.ask('1');
    expect(initOf(client).plugin_errors).toEqual([
      {
        plugin: 'gone@shop',
        type: 'load-failed',
        message: 'it is not installed here, and nothing is fetched from the network',
        path: 'gone@shop',
      },
    ]);
    expect(warningsOf(house)).toEqual([
      expect.stringContaining('gone@shop: the plugin was left out: it is not installed'),
    ]);
  });

  test('the launch stands in for one of the same name', async () => {
    const house = createHouse(['one']);
    install(house, {}).enable(true);
    const own = join(tempDir(), 'kit');
    put(join(own, 'commands/x.md'), 'x');
    const client = house.connect({ pluginDir: [own] });
    await client.ask('1');
    expect(initOf(client).plugins).toEqual([{ name: 'kit', path: own }]);
    expect(warningsOf(house)).toEqual([]);
  });

  test('[G1] a project enables one only where it is trusted, and names no marketplace', async () => {
    const house = createHouse(['one', 'two']);
    install(house, {});
    put(join(house.dir, 'shop/.claude-plugin/marketplace.json'), '{"plugins":[{"name":"evil","source":"./evil"}]}');
    put(join(house.dir, 'shop/evil/commands/x.md'), 'x');
    const settings = {
      enabledPlugins: { 'kit@shop': true, 'evil@here': true },
      extraKnownMarketplaces: { here: { source: { source: 'directory', path: './shop' } } },
    };
    put(join(house.dir, '.claude/settings.json'), JSON.stringify(settings));
    const untrusted = house.connect();
    await untrusted.ask('1');
    expect(initOf(untrusted)).toMatchObject({ plugins: [] });
    const trusted = house.connect({ trust: true });
    await trusted.ask('2');
    expect(initOf(trusted)).toMatchObject({
      plugins: [{ name: 'kit' }],
      plugin_errors: [{ path: 'evil@here' }],
    });
  });

  test('a marketplace in a directory says what a plugin without a manifest is', async () => {
    const house = createHouse(['one']);
    const shop = tempDir();
    const plugin = { name: 'kit', source: './kit', commands: ['./more/extra.md'] };
    put(join(shop, '.claude-plugin/marketplace.json'), JSON.stringify({ name: 'shop', plugins: [plugin] }));
    put(join(shop, 'kit/more/extra.md'), 'Extra.');
    const settings = {
      enabledPlugins: { 'kit@shop': true },
      extraKnownMarketplaces: { shop: { source: { source: 'directory', path: shop } } },
    };
    const client = house.connect({ settings: JSON.stringify(settings), settingSources: [] });
    await client.ask('1');
    expect(initOf(client).slash_commands).toContain('kit:extra');
  });
});

describe('[B-170] reading again', () => {
  const answer = async (client: Client, subtype: string) => (await client.control({ subtype })).response;

  test('reload_skills: those of now, also where there were none before; the model is told', async () => {
    const house = createHouse(['one', 'two', 'three']);
    const path = join(house.dir, '.claude/skills/knit/SKILL.md');
    const client = house.connect();
    await client.ask('1');
    put(path, '---\ndescription: Knits\nargument-hint: [wool]\n---\nKnit.');
    const { skills } = (await answer(client, 'reload_skills')) as { skills: { name: string }[] };
    expect(skills.at(-1)).toEqual({ name: 'knit', description: 'Knits', argumentHint: '[wool]' });
    expect(skills.map(({ name }) => name)).toContain('debug');
    await client.ask('2');
    expect(initOf(client)).toMatchObject({ skills: ['debug', 'knit'], tools: expect.arrayContaining(['Skill']) });
    expect(lastTexts(house.model.requests[1]).join()).toContain('- knit: Knits');
    rmSync(path);
    await answer(client, 'reload_skills');
    await client.ask('3');
    expect(initOf(client).skills).toEqual(['debug']);
    expect(initOf(client).tools).not.toContain('Skill');
  });

  test('reload_plugins: by the settings of now, hooks included', async () => {
    const house = createHouse(['one', 'two', 'three']);
    const shop = tempDir();
    const fired = (name: string) => join(shop, name);
    const hooks = (name: string) => settingsWith({ Stop: [command(`echo x > ${fired(name)}`)] });
    put(join(shop, '.claude-plugin/marketplace.json'), '{"plugins":[{"name":"kit","source":"./kit"}]}');
    put(join(shop, 'kit/commands/hello.md'), '---\ndescription: Hi\n---\nHello.');
    put(join(shop, 'kit/hooks/hooks.json'), hooks('first'));
    const accept = () => acceptPlugin(join(house.dir, '../.heddle'), join(shop, 'kit'), { name: 'kit' });
    await accept();
    const client = house.connect();
    expect(await answer(client, 'reload_plugins')).toMatchObject({ plugins: [], mcpServers: [], error_count: 0 });
    const settings = {
      enabledPlugins: { 'kit@shop': true, 'gone@shop': true },
      extraKnownMarketplaces: { shop: { source: { source: 'directory', path: shop } } },
    };
    put(join(house.dir, '../.heddle/settings.json'), JSON.stringify(settings));
    expect(await answer(client, 'reload_plugins')).toMatchObject({
      commands: expect.arrayContaining([{ name: 'kit:hello', description: 'Hi', argumentHint: '' }]),
      agents: expect.any(Array),
      plugins: [{ name: 'kit', path: join(shop, 'kit'), source: 'kit@shop' }],
      error_count: 1,
    });
    await client.ask('1');
    expect([existsSync(fired('first')), existsSync(fired('second'))]).toEqual([true, false]);
    rmSync(fired('first'));
    put(join(shop, 'kit/hooks/hooks.json'), hooks('second'));
    await accept();
    await answer(client, 'reload_plugins');
    await client.ask('2');
    expect([existsSync(fired('first')), existsSync(fired('second'))]).toEqual([false, true]);
  });

  test('reload_output_styles', async () => {
    const house = createHouse([]);
    const client = house.connect();
    put(join(house.dir, '../.heddle/output-styles/terse.md'), 'One line.');
    expect(await answer(client, 'reload_output_styles')).toEqual({
      available_output_styles: ['default', 'Explanatory', 'Learning', 'terse'],
    });
  });

  test('[G1] what has changed since the launch answered for it is a text and nothing more', async () => {
    const house = createHouse([]);
    const path = join(house.dir, '.claude/commands/day.md');
    put(path, 'Plain.');
    const client = house.connect({ trust: true, allowedTools: ['Bash'] });
    await client.control({ subtype: 'initialize' });
    put(path, 'Today: !`echo monday`');
    await answer(client, 'reload_skills');
    expect(await client.ask('/day')).toMatchObject({ is_error: true, error_code: 'command_refused' });
  });
});

describe('a shell command in a text', () => {
  test.each([
    [
      'a hook',
      {
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
      },
      {},
    ],
    ['a rule', {}, { disallowedTools: ['Bash(echo:*)'] }],
    ['nobody to ask', {}, { allowedTools: [] }],
  ])('[K18] does not run against %s, and nothing is sent', async (_what, said, config) => {
    const house = createHouse([]);
    put(join(house.dir, '.claude/commands/day.md'), 'Today: !`echo monday > fired`');
    const seen: unknown[] = [];
    const answerHook = (request: { input?: unknown }) => {
      seen.push(request.input);
      return said;
    };
    const client = house.connect({ trust: true, allowedTools: ['Bash'], ...config }, { answer: answerHook });
    await client.control({ subtype: 'initialize', hooks: { PreToolUse: [{ hookCallbackIds: ['h'] }] } });
    const result = await client.ask('/day');
    expect(result).toMatchObject({ is_error: true, error_code: 'command_refused' });
    expect(result.permission_denials).toHaveLength(1);
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: expect.objectContaining({ command: 'echo monday > fired' }),
      }),
    ]);
    expect(existsSync(join(house.dir, 'fired'))).toBe(false);
    expect(house.model.requests).toEqual([]);
  });

  test('runs as hooks have changed it, and they hear what came of it', async () => {
    const house = createHouse(['done']);
    put(join(house.dir, '.claude/commands/day.md'), 'Today: !`echo monday`');
    const seen: Record<string, unknown>[] = [];
    const client = house.connect(
      { trust: true, allowedTools: ['Bash'] },
      {
        answer({ input }) {
          const given = input as Record<string, unknown>;
          seen.push(given);
          if (given.hook_event_name !== 'PreToolUse') return {};
          const updatedInput = { command: 'echo tuesday' };
          return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput } };
        },
      },
    );
    const matcher = [{ hookCallbackIds: ['h'] }];
    await client.control({ subtype: 'initialize', hooks: { PreToolUse: matcher, PostToolUse: matcher } });
    await client.ask('/day');
    expect(lastTexts(house.model.requests[0]).join()).toContain('Today: tuesday');
    expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual(['PreToolUse', 'PostToolUse']);
    expect(seen[1]).toMatchObject({ tool_input: { command: 'echo tuesday' }, tool_response: { stdout: 'tuesday' } });
  });
});
