import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAgentFiles } from '../../../src/config/extensions/agent-files.ts';
import { readCommands } from '../../../src/config/extensions/commands.ts';
import { filesNeedingTrust } from '../../../src/config/extensions/files-needing-trust.ts';
import type { FileSource } from '../../../src/config/extensions/markdown-files.ts';
import { readOutputStyles } from '../../../src/config/extensions/output-styles.ts';
import { readPlugin } from '../../../src/config/extensions/plugins.ts';
import { wantsPermission } from '../../../src/config/extensions/prompt-file.ts';
import { readSkills } from '../../../src/config/extensions/skills.ts';
import { configurationHash } from '../../../src/config/trust-store.ts';

let root: string;
let warnings: string[];
let ignored: string[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-extensions-')));
  warnings = [];
  ignored = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const notes = {
  warn: (file: string, problem: string, line?: number) =>
    warnings.push(`${file.slice(root.length + 1)}:${line}: ${problem}`),
  ignore: (file: string, keys: readonly string[]) => ignored.push(`${file.slice(root.length + 1)}: ${keys.join(', ')}`),
};
const source = (changes: Partial<FileSource> = {}): FileSource => {
  return { scope: 'user', confinedTo: null, notes, ...changes };
};

describe('skills', () => {
  test('are folders with a SKILL.md, by the name of the folder', () => {
    put('skills/b/SKILL.md', '---\nname: Fancy B\ndescription: Does b\nwhen_to_use: Always.\n---\nText');
    put('skills/a/SKILL.md', '# A title\n\nText');
    put('skills/loose.md', 'no skill');
    put('skills/.hidden/SKILL.md', 'no skill');
    put('skills/nothing/readme.md', 'no skill');
    const skills = readSkills(join(root, 'skills'), source());
    expect(skills).toMatchObject([
      { name: 'a', description: 'A title', aliases: [], forModel: true, forUser: true, argumentHint: '' },
      { name: 'b', description: 'Does b Always.', aliases: ['Fancy B'], folder: join(root, 'skills/b'), body: 'Text' },
    ]);
    expect(skills.map(wantsPermission)).toEqual([false, false]);
    expect(warnings).toEqual([]);
    expect(readSkills(join(root, 'nowhere'), source())).toEqual([]);
  });

  test.each([
    ['allowed-tools', '---\nallowed-tools: [Read, "Bash(ls:*)"]\n---\nx', true],
    ['hooks', '---\nhooks: {Stop: []}\n---\nx', true],
    ['a command', 'Look: !`ls`', true],
    ['a model', '---\nmodel: haiku\n---\nx', false],
  ])('that want permission: %s', (_name, text, expected) => {
    put('skills/a/SKILL.md', text);
    expect(readSkills(join(root, 'skills'), source()).map(wantsPermission)).toEqual([expected]);
  });
});

describe('commands', () => {
  test('are files, and folders are namespaces', () => {
    put('commands/plain.md', 'Do it');
    put('commands/git/commit.md', '---\ndescription: Commits\n---\nx');
    put('commands/git/deep/er.md', 'x');
    put('commands/notes.txt', 'x');
    expect(readCommands(join(root, 'commands'), source())).toMatchObject([
      { name: 'git:commit', aliases: ['commit'], forModel: true },
      { name: 'git:deep:er', aliases: ['er'] },
      { name: 'plain', description: 'Do it', forModel: false },
    ]);
  });

  test('a link that leads back ends somewhere', () => {
    put('commands/a/x.md', 'x');
    symlinkSync('..', join(root, 'commands/a/loop'));
    expect(readCommands(join(root, 'commands'), source()).length).toBeLessThan(20);
  });

  test('what is no file to read is told, and holds nobody up', () => {
    mkdirSync(join(root, 'commands'));
    execFileSync('mkfifo', [join(root, 'commands/pipe.md')]);
    symlinkSync('/dev/zero', join(root, 'commands/zero.md'));
    symlinkSync('nowhere', join(root, 'commands/gone.md'));
    put('commands/long.md', 'x'.repeat(300 * 1024));
    put('commands/ok.md', 'x');
    expect(readCommands(join(root, 'commands'), source()).map(({ name }) => name)).toEqual(['ok']);
    expect(warnings.map((text) => text.split(':')[0])).toEqual(
      ['gone', 'long', 'pipe', 'zero'].map((name) => `commands/${name}.md`),
    );
  });
});

describe('agents', () => {
  test('by the words that hosts use', () => {
    const settings = [
      'name: helper',
      'description: |',
      '  Use this agent when: always.',
      '  <example>x: y</example>',
      'tools: Bash, Read',
      'disallowedTools: [Write]',
      'model: inherit',
      'maxTurns: 3',
      'skills: a, b',
      'permissionMode: plan',
      'mcpServers:',
      '  - github',
      '  - local: {command: x}',
      'color: green',
    ];
    put('agents/deep/h.md', `---\n${settings.join('\n')}\n---\n\nYou help.\n`);
    put('agents/star.md', '---\ndescription: S\ntools: "*"\n---\nx');
    expect(readAgentFiles(join(root, 'agents'), source())).toMatchObject([
      {
        name: 'helper',
        definition: {
          description: 'Use this agent when: always.\n<example>x: y</example>',
          prompt: 'You help.',
          tools: ['Bash', 'Read'],
          disallowedTools: ['Write'],
          model: 'inherit',
          maxTurns: 3,
          skills: ['a', 'b'],
          permissionMode: 'plan',
          mcpServers: ['github', { local: { command: 'x' } }],
        },
      },
      { name: 'star', definition: { description: 'S', prompt: 'x' } },
    ]);
    expect(warnings).toEqual([]);
  });

  test.each<[string, string, string[] | undefined]>([
    ['blanks', 'Read Grep  Bash', ['Read', 'Grep', 'Bash']],
    ['commas', 'Read,Bash(git log, git diff), Grep', ['Read', 'Bash(git log, git diff)', 'Grep']],
    ['a rule with a blank', 'Bash(git log:*) Read', ['Bash(git log:*)', 'Read']],
    ['JSON', '["Read", "Grep"]', ['Read', 'Grep']],
    ['all in words', 'All tools', undefined],
    ['a star among others', 'Read, *', undefined],
    ['nothing', '', undefined],
  ])('tools with %s', (_how, written, tools) => {
    put('agents/a.md', `---\nname: a\ndescription: d\ntools: ${written}\n---\nx`);
    expect(readAgentFiles(join(root, 'agents'), source())[0]?.definition.tools).toEqual(tools);
  });

  test.each([
    ['plain', 'Use it so:\\n\\nExample: x\\ny'],
    ['in quotes', '"Use it so:\\n\\nExample: x\\ny"'],
    ['in single quotes', "'Use it so:\\n\\nExample: x\\ny'"],
  ])('line feeds that are written out in a description: %s', (_how, written) => {
    put('agents/a.md', `---\nname: a\ndescription: ${written}\n---\nKeep \\n here.`);
    expect(readAgentFiles(join(root, 'agents'), source())).toMatchObject([
      { definition: { description: 'Use it so:\n\nExample: x\ny', prompt: 'Keep \\n here.' } },
    ]);
  });
});

describe('output styles', () => {
  test('by name', () => {
    put('output-styles/a.md', 'Text\n');
    put('output-styles/b.md', '---\nname: B\ndescription: Is b\nkeep-coding-instructions: true\n---\nText');
    expect(readOutputStyles(join(root, 'output-styles'), source())).toEqual([
      { name: 'a', description: '', prompt: 'Text', keepsInstructions: false, scope: 'user' },
      { name: 'B', description: 'Is b', prompt: 'Text', keepsInstructions: true, scope: 'user' },
    ]);
  });
});

describe('[G1] a source that is not trusted', () => {
  test('has texts; what would act is left out and told', () => {
    const text = '---\ndescription: D\nallowed-tools: Bash\nmodel: opus\nhooks: {Stop: []}\n---\n!`ls`';
    put('skills/a/SKILL.md', text);
    const [skill] = readSkills(join(root, 'skills'), source({ scope: 'project', confinedTo: root }));
    expect(skill).toMatchObject({ description: 'D', allowedTools: [], mayRun: false });
    expect(skill).not.toHaveProperty('model');
    expect(skill).not.toHaveProperty('hooks');
    expect(ignored).toEqual(['skills/a/SKILL.md: allowed-tools, hooks, model, shell commands']);
  });

  test('changes what the trust in a project is bound to, as far as something acts', () => {
    const before = configurationHash(root);
    put('.claude/commands/text.md', '---\ndescription: D\n---\nText');
    put('.claude/skills/a/SKILL.md', 'Text');
    expect(configurationHash(root)).toBe(before);
    expect(filesNeedingTrust(root)).toEqual([]);
    put('.claude/commands/deep/run.md', 'Run !`ls`');
    put('.claude/agents/a.md', '---\npermissionMode: plan\n---\nx');
    expect(filesNeedingTrust(root)).toMatchObject([
      { file: '.claude/agents/a.md', parts: [{ key: 'permissionMode', value: 'plan' }] },
      { file: '.claude/commands/deep/run.md', parts: [{ key: 'shell commands', value: ['ls'] }] },
    ]);
    const then = configurationHash(root);
    expect(then).not.toBe(before);
    put('.claude/commands/deep/run.md', 'Now run !`ls`');
    const later = configurationHash(root);
    expect(later).not.toBe(then);
    put('.claude/commands/fenced.md', 'Run\n```!\nls\n```\n');
    expect(configurationHash(root)).not.toBe(later);
  });
});

describe('plugins', () => {
  test('without a manifest are what their folders hold', () => {
    put('kit/skills/knit/SKILL.md', 'Knit');
    put('kit/commands/deep/hello.md', 'Hello');
    put('kit/output-styles/loud.md', 'LOUD');
    put('kit/hooks/hooks.json', '{"hooks":{"Stop":[]}}');
    put('kit/.mcp.json', '{"mcpServers":{"x":{"command":"y"}}}');
    expect(readPlugin(join(root, 'kit'), { notes })).toMatchObject({
      name: 'kit',
      root: join(root, 'kit'),
      prompts: [
        { name: 'kit:knit', aliases: ['knit'], variables: { CLAUDE_PLUGIN_ROOT: join(root, 'kit') } },
        { name: 'kit:deep:hello', aliases: ['deep:hello', 'hello'] },
      ],
      styles: [{ name: 'kit:loud' }],
      hooks: { Stop: [] },
      mcpServers: { x: { command: 'y' } },
    });
    expect(warnings).toEqual([]);
  });

  test('with one have its name and further places, none of them outside', () => {
    put('outside/SKILL.md', 'x');
    put('kit/one/SKILL.md', 'One');
    put('kit/agents-2/w.md', '---\ndescription: W\n---\nx');
    const manifest = {
      name: 'my-kit',
      skills: ['./one', '../outside'],
      agents: './agents-2/w.md',
      commands: './nowhere',
      hooks: { Stop: [] },
      mcpServers: './servers.json',
    };
    put('kit/.claude-plugin/plugin.json', JSON.stringify(manifest));
    put('kit/servers.json', '{"x":{"command":"y"}}');
    expect(readPlugin(join(root, 'kit'), { notes })).toMatchObject({
      name: 'my-kit',
      prompts: [{ name: 'my-kit:one' }],
      agents: [{ name: 'my-kit:w' }],
      hooks: { Stop: [] },
      mcpServers: { x: { command: 'y' } },
    });
    expect(warnings).toEqual([
      expect.stringContaining('skills: ../outside leads out of the plugin'),
      expect.stringContaining('commands: there is no ./nowhere'),
    ]);
  });

  test.each([
    ['no folder', 'nowhere', /ENOENT/],
    ['a file', 'file', /not a directory/],
    ['a manifest that is no JSON', 'torn', /JSON/],
    ['a name that cannot be typed', 'named', /no name for a plugin/],
  ])('%s is none', (_name, folder, message) => {
    put('file', '');
    put('torn/.claude-plugin/plugin.json', '{');
    put('named/.claude-plugin/plugin.json', '{"name":"my kit"}');
    expect(() => readPlugin(join(root, folder), { notes })).toThrow(message);
  });

  describe('and the entry of the marketplace', () => {
    const named = (entry: object) => readPlugin(join(root, '1.0.0'), { notes, name: 'kit', entry: { ...entry } });
    const skill = (name: string) => put(`1.0.0/skills/${name}/SKILL.md`, name);
    const namesOf = ({ prompts }: ReturnType<typeof named>) => prompts.map(({ name }) => name);

    test('the name is that of the plugin, else of the entry, else as it was installed, never that of a folder', () => {
      skill('a');
      expect(namesOf(readPlugin(join(root, '1.0.0'), { notes, name: 'kit' }))).toEqual(['kit:a']);
      expect(named({ name: 'of-entry', version: '2.0.0' })).toMatchObject({ name: 'of-entry', version: '2.0.0' });
      put('1.0.0/.claude-plugin/plugin.json', '{"name":"own","version":"3.0.0"}');
      expect(named({ name: 'of-entry', version: '2.0.0' })).toMatchObject({ name: 'own', version: '3.0.0' });
    });

    test('the entry adds to the manifest', () => {
      skill('a');
      put('1.0.0/more/b/SKILL.md', 'b');
      put('1.0.0/.claude-plugin/plugin.json', '{"name":"kit","hooks":{"Stop":[{"hooks":[]}]}}');
      const group = { hooks: [{ type: 'command', command: 'x' }] };
      const plugin = named({ skills: './more', hooks: { Stop: [group] }, mcpServers: { x: { command: 'y' } } });
      expect(namesOf(plugin)).toEqual(['kit:a', 'kit:b']);
      expect(plugin).toMatchObject({ hooks: { Stop: [group, { hooks: [] }] }, mcpServers: { x: { command: 'y' } } });
    });

    test('strict: false: the entry is the manifest, and what it names is all there is of that kind', () => {
      skill('a');
      skill('b');
      put('1.0.0/commands/c.md', 'c');
      expect(namesOf(named({ strict: false, skills: ['./skills/b'] }))).toEqual(['kit:b', 'kit:c']);
      put('1.0.0/.claude-plugin/plugin.json', '{"name":"kit","version":"1.0.0"}');
      expect(namesOf(named({ strict: false, skills: ['./skills/b'] }))).toEqual(['kit:b', 'kit:c']);
      put('1.0.0/.claude-plugin/plugin.json', '{"name":"kit","commands":"./commands"}');
      expect(() => named({ strict: false })).toThrow(/has commands, but its marketplace says strict: false/);
    });
  });

  test('hooks and servers of the default files stay beside those that the manifest names', () => {
    put('kit/hooks/hooks.json', '{"hooks":{"Stop":[1]}}');
    put('kit/hooks/more.json', '{"hooks":{"Stop":[2],"SessionStart":[3]}}');
    put('kit/.mcp.json', '{"a":{"command":"a"}}');
    const manifest = { hooks: ['./hooks/more.json', './hooks/hooks.json'], mcpServers: { b: { command: 'b' } } };
    put('kit/.claude-plugin/plugin.json', JSON.stringify(manifest));
    expect(readPlugin(join(root, 'kit'), { notes })).toMatchObject({
      hooks: { Stop: [1, 2], SessionStart: [3] },
      mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
    });
  });

  test('hooks that cannot be read are told', () => {
    put('kit/hooks/hooks.json', 'x');
    expect(readPlugin(join(root, 'kit'), { notes }).hooks).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/^kit\/hooks\/hooks\.json:undefined: /)]);
  });
});
