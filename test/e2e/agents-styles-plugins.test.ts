import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT } from '../../src/agent/messages/system-prompt.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { ask, project, run, user } from '../support/extensions.ts';
import { initOf, textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

describe('agents', () => {
  const HELPER = '---\nname: helper\ndescription: Helps\ntools: Bash\nmodel: haiku\n---\nYou help.\n';

  test('[FLD-06] of files are listed by init, and with their descriptions by initialize', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'agents/helper.md': HELPER });
    user(place, { 'agents/deep/reviewer.md': '---\ndescription: Reviews\n---\nYou review.' });
    const cli = startCli([...STREAM_BOTH, '--trust'], { place });
    const { response } = await cli.control({
      subtype: 'initialize',
      agents: { mine: { description: 'Mine', prompt: 'x' } },
    });
    expect((response as { agents: unknown[] }).agents).toEqual(
      expect.arrayContaining([
        { name: 'helper', description: 'Helps', model: 'haiku' },
        { name: 'reviewer', description: 'Reviews' },
      ]),
    );
    expect(initOf(await ask(cli, 'go')).agents).toEqual(expect.arrayContaining(['mine', 'helper', 'reviewer']));
  });
});

test("two agents of one name in one place: the first counts, which is said; one of the project stands in for the user's", async () => {
  const place = await makePlace(['Done.']);
  const agent = (description: string) => `---\nname: twin\ndescription: ${description}\n---\nHelp.`;
  const copies = Object.fromEntries([...'abcdefgh'].map((name) => [`agents/${name}/x.md`, agent(name)]));
  project(place, copies);
  user(place, { 'agents/mine.md': agent('mine') });
  const cli = startCli([...STREAM_BOTH, '--trust'], { place });
  const { response } = await cli.control({ subtype: 'initialize' });
  const { agents } = response as { agents: { name: string; description: string }[] };
  expect(agents.filter(({ name }) => name === 'twin')).toEqual([{ name: 'twin', description: 'a' }]);
  await cli.until(() => cli.stderr.includes('more agents'));
  const told = cli.stderr.trim().split('\n');
  expect(told).toHaveLength(6);
  expect(told[0]).toMatch(
    /agents\/b\/x\.md: there is another agent twin \(\S+agents\/a\/x\.md\), so that this one is left out$/,
  );
  expect(told[5]).toMatch(/agents\/g\/x\.md: this and 1 more agents have the names of others$/);
});

describe('[SET-06] an output style', () => {
  const systemOf = (place: Place, at = 0) => textsOf({ content: bodyOf(place.api.requests[at]).system ?? [] })[0] ?? '';

  test('of a file takes the place of the instructions for software work, the same in every run', async () => {
    const place = await makePlace(() => 'Arr.');
    user(place, {
      'output-styles/pirate.md': '---\nname: Pirate\ndescription: Arr\n---\nTalk like a pirate.\n',
      'settings.json': '{"outputStyle":"Pirate"}',
    });
    const { lines } = await run(place, 'go');
    await run(place, 'go');
    expect(initOf(lines).output_style).toBe('Pirate');
    expect(systemOf(place)).toMatch(/^You are Heddle[\s\S]*# Output style: Pirate\n[\s\S]*Talk like a pirate\.$/);
    expect(systemOf(place)).not.toContain('# How to work');
    expect(systemOf(place)).toContain('# Care');
    expect(systemOf(place, 1)).toBe(systemOf(place));
  });

  test('keeps them where it says so, as those that come along do', async () => {
    const place = await makePlace(() => 'ok');
    user(place, { 'output-styles/terse.md': '---\nkeep-coding-instructions: true\n---\nOne line.' });
    const settings = (name: string) => ['--settings', JSON.stringify({ outputStyle: name })];
    await run(place, 'go', ...settings('terse'));
    expect(systemOf(place).startsWith(SYSTEM_PROMPT)).toBe(true);
    const { lines } = await run(place, 'go', ...settings('explanatory'));
    expect(initOf(lines).output_style).toBe('Explanatory');
    expect(systemOf(place, 1).startsWith(SYSTEM_PROMPT)).toBe(true);
    const cli = startCli(STREAM_BOTH, { place });
    const { response } = await cli.control({ subtype: 'initialize' });
    expect(response).toMatchObject({
      output_style: 'default',
      available_output_styles: ['default', 'Explanatory', 'Learning', 'terse'],
    });
  });

  test('that does not exist is said, and changes nothing', async () => {
    const place = await makePlace(['ok']);
    const { lines, stderr, code } = await run(place, 'go', '--settings', '{"outputStyle":"Explanatary"}');
    expect(code).toBe(0);
    expect(stderr).toMatch(/no output style 'Explanatary'.*Did you mean Explanatory\?/);
    expect(initOf(lines).output_style).toBe('default');
    expect(systemOf(place)).toBe(SYSTEM_PROMPT);
  });
});

describe('[OPT-26, FLG-27, SET-05] a plugin', () => {
  test('brings skills, commands, agents and styles under its name', async () => {
    const place = await makePlace(['Done.']);
    const root = join(place.root, 'tools');
    put(join(root, '.claude-plugin/plugin.json'), '{"name":"kit","commands":["./more/extra.md"]}');
    put(join(root, 'commands/hello.md'), `---\ndescription: Says hello\n---\nHello from $\{CLAUDE_PLUGIN_ROOT}`);
    put(join(root, 'more/extra.md'), 'Extra');
    put(join(root, 'skills/knit/SKILL.md'), '---\ndescription: Knits\n---\nKnit.');
    put(join(root, 'agents/weaver.md'), '---\nname: weaver\ndescription: Weaves\n---\nWeave.');
    const { lines, stderr } = await run(place, '/kit:hello', '--plugin-dir', root, '--setting-sources', '');
    expect(stderr).toBe('');
    expect(initOf(lines)).toMatchObject({
      plugins: [{ name: 'kit', path: root }],
      skills: ['debug', 'kit:knit'],
      agents: expect.arrayContaining(['kit:weaver']),
      slash_commands: expect.arrayContaining(['kit:knit', 'kit:hello', 'kit:extra']),
    });
    expect(conversationText(place.api.requests[0])).toContain(`Hello from ${root}`);
  });

  test('brings hooks, which know where it lies', async () => {
    const place = await makePlace(['Done.']);
    const root = join(place.root, 'kit');
    const command = `echo "$CLAUDE_PLUGIN_ROOT" > ${join(place.root, 'fired')}`;
    put(
      join(root, 'hooks/hooks.json'),
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }),
    );
    await run(place, 'go', '--plugin-dir', root);
    expect(readFileSync(join(place.root, 'fired'), 'utf8').trim()).toBe(root);
  });

  test('[B-155] that cannot be read is said, here and to the host, and the session goes on', async () => {
    const place = await makePlace(['Done.']);
    put(join(place.root, 'broken/.claude-plugin/plugin.json'), '{"name":');
    const dirs = [join(place.root, 'nowhere'), join(place.root, 'broken')];
    const { lines, stderr, code } = await run(place, 'go', '--plugin-dir', ...dirs);
    expect(code).toBe(0);
    expect(initOf(lines)).toMatchObject({ plugins: [], plugin_errors: dirs.map((path) => ({ path })) });
    for (const dir of dirs) expect(stderr).toContain(`${dir}: the plugin was left out`);
  });
});
