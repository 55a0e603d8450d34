import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBlocks } from './blocks.ts';
import { lookAt } from './look-at.ts';
import { makeProject, type Project } from './project.ts';

/** A page that says something wrong is caught; what `pages.test.ts` finds is worth as much as this. */
let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.close());

describe('what is wrong with a block is found', () => {
  test.each([
    ['a command that fails', 'sh', 'false\ntrue', /exit 1/],
    ['a command that fails in a pipe', 'sh', 'false | cat', /exit 1/],
    ['a flag that there is not', 'sh', 'heddle -p hi --no-such-flag', /exit 1/],
    ['another output', 'console', '$ echo warp\nweft', /something else/],
    ['a script of npm that there is not', 'sh', 'npm run weave', /no script weave/],
    ['a flag that a script does not know', 'sh', 'npm run bench -- --loudly', /does not know --loudly/],
    ['a package that nobody knows', 'sh', 'npm install no-such-loom', /no-such-loom/],
    ['a part of a program', 'ts', "console.log('warp');", /not a whole program/],
    ['a program that throws', 'ts', "import 'heddle';\nthrow new Error('torn');", /torn/],
    ['an export that there is not', 'ts', "import { weave } from 'heddle';\nweave();", /weave/],
    ['no JSON', 'json', '{ warp: 1 }', /JSON/],
    ['a diff that is none', 'diff', 'warp', /no line of a diff/],
    ['a text that nobody tries', 'text', 'warp', /must say why/],
    ['a help that is another one', 'text', 'Usage: heddle trust [directory]', /says something else/],
    ['a job that fails', 'yaml', 'review:\n  steps:\n    - run: false', /exit 1/],
    ['an image of another command', 'dockerfile', 'FROM node\nENTRYPOINT ["loom"]', /no command “loom”/],
    ['JSON that nobody tries', 'json', '{}', /must say why/],
    ['a language that nobody looks at', 'cobol', 'STOP RUN.', /nobody looks/],
    ['no language', '', 'warp', /nobody looks/],
  ])('%s', async (_title, language, code, problem) => {
    expect(await lookAtPage(`\`\`\`${language}\n${code}\n\`\`\``)).toMatch(problem);
  });

  test.each([
    ['a command in a text', 'text: because=a figure', 'text', 'heddle -p hi', /a command/],
    ['a synopsis without a command', 'text: synopsis', 'text', 'heddle tasks list|show', /list\|show\|stop/],
    ['a synopsis of no command', 'text: synopsis', 'text', 'heddle weave', /no command/],
    ['settings that are warned of', 'json: settings', 'json', '{ "enabledPlugins": { "kit@shop": true } }', /kit@shop/],
    ['limits of a model that do not hold', 'json: model-limits', 'json', '{ "openai/loom": {} }', /loom/],
    ['a lease that is none', 'json: lease', 'json', '{ "pid": 1 }', /no lease/],
    ['settings that nothing acts on', 'json: settings', 'json', '{ "colour": "red" }', /colour/],
    ['a hook of no event', 'json: settings', 'json', '{ "hooks": { "PreWeave": [] } }', /PreWeave/],
    ['an MCP server without a command', 'json: mcp', 'json', '{ "mcpServers": { "calc": {} } }', /command/],
    ['a line that is not of the wire', 'json: wire', 'json', '{"type":"weave"}', /not in schema/],
    [
      'a request that there is not',
      'json: wire',
      'json',
      '{"type":"control_request","request_id":"1","request":{"subtype":"weave"}}',
      /not in schema/,
    ],
    ['an entry of another shape', 'json: entries', 'json', '{"type":"tag"}', /not in schema/],
    ['an agent without a description', 'markdown: agent', 'markdown', '---\nname: one\n---\nHi.', /description/],
    ['a comment that means nothing', 'run: loudly', 'sh', 'true', /means nothing/],
    ['a setup that there is not', 'run: setup=loom', 'sh', 'true', /no setup loom/],
    ['a success that was to be a failure', 'run: exit=1', 'sh', 'true', /exit 0 in place of 1/],
  ])('%s', async (_title, note, language, code, problem) => {
    expect(await lookAtPage(`<!-- ${note} -->\n\`\`\`${language}\n${code}\n\`\`\``)).toMatch(problem);
  });
});

test('what is right is let pass', async () => {
  expect(await lookAtPage('```console\n$ echo warp and weft\nwarp … weft\n```')).toBeNull();
  expect(await lookAtPage('<!-- text: because=a figure -->\n```text\nwarp\n```')).toBeNull();
  expect(await lookAtPage('```console\n$ printf "1\\n2\\n3\\n"\n1\n…\n3\n```')).toBeNull();
  expect(await lookAtPage('```sh\nnpm ci && npm run bench -- --runs 3   # medians\n```')).toBeNull();
});

async function lookAtPage(text: string): Promise<string | null> {
  const [block] = readBlocks('a page', `Text before.\n\n${text}\n`);
  if (!block) throw new Error('no block');
  return lookAt(block, project).catch((error: unknown) => String(error));
}
