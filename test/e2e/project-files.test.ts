import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STREAM_OUT, startCli } from '../support/cli.ts';
import { GREET } from '../support/extensions.ts';
import { initOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { ROOT } from '../support/root.ts';

test('[P3] what a project brings along is found where the reference keeps it', async () => {
  const place = await makePlace(['Hello.']);
  const server = { command: process.execPath, args: [join(ROOT, 'test/support/odd-mcp-server.mjs')] };
  const files: Record<string, unknown> = {
    '.claude/settings.json': { model: 'haiku', enableAllProjectMcpServers: true },
    '.claude/settings.local.json': { outputStyle: 'pirate' },
    '.claude/agents/cook.md': '---\ndescription: Cooks\n---\nCook.',
    '.claude/commands/hello.md': 'Say hello.',
    '.claude/skills/greet/SKILL.md': GREET,
    '.claude/output-styles/pirate.md': '---\ndescription: Arr\n---\nTalk like a pirate.',
    'CLAUDE.md': 'Tabs, never spaces.',
    'AGENTS.md': 'Run the linter.',
    '.mcp.json': { mcpServers: { odd: server } },
  };
  for (const [name, content] of Object.entries(files)) put(join(place.cwd, name), content);
  const cli = startCli([...STREAM_OUT, 'hi', '--trust'], { place });
  cli.endInput();
  const { lines, code, stderr } = await cli.finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const init = initOf(lines);
  expect(init).toMatchObject({
    model: expect.stringContaining('haiku'),
    output_style: 'pirate',
    mcp_servers: [{ name: 'odd', status: 'connected' }],
  });
  expect(init.agents).toContain('cook');
  expect(init.skills).toContain('greet');
  expect(init.slash_commands).toContain('hello');
  const [request] = place.api.requests;
  expect(JSON.stringify(bodyOf(request).system)).toContain('Talk like a pirate.');
  for (const words of ['Tabs, never spaces.', 'Run the linter.']) expect(conversationText(request)).toContain(words);
});
