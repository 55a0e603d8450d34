import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { hostServers, initialized, type McpAnswers, text } from '../support/mcp-host.ts';
import { makePlace } from '../support/place.ts';

/** `--permission-prompt-tool mcp__server__tool` (wire.md 11.3). */

const writing = () => [toolUse('Write', { file_path: 'new.txt', content: 'hello\n' }), 'Written.'];

async function write(answer: McpAnswers[string], { tool = 'mcp__guard__approve' }: { tool?: string } = {}) {
  const place = await makePlace(writing());
  const cli = startCli([...STREAM_BOTH, '--permission-prompt-tool', tool], { place });
  const guard: McpAnswers = {
    initialize: initialized({ tools: {} }),
    'tools/list': { result: { tools: [{ name: 'approve' }, { name: 'other' }] } },
    'tools/call': answer,
  };
  const servers = hostServers(cli, { guard });
  await cli.control({ subtype: 'initialize', sdkMcpServers: ['guard'] });
  cli.say('go');
  const result = await cli.nextResult();
  const written = join(place.cwd, 'new.txt');
  return {
    result,
    servers,
    tools: cli.lines.find(({ subtype }) => subtype === 'init')?.tools as string[],
    told: toolResult(cli.lines.find((line) => toolResult(line))),
    content: existsSync(written) ? readFileSync(written, 'utf8') : null,
    requests: cli.lines.filter(
      ({ type, request }) => type === 'control_request' && (request as Line).subtype === 'can_use_tool',
    ),
  };
}

const say = (answer: object) => text(JSON.stringify(answer));

describe('[P-8, FLG-18, OPT-35] a tool of a server that answers permission questions', () => {
  test('is asked in the place of the host, and the model does not have it', async () => {
    const { content, servers, tools, requests } = await write(say({ behavior: 'allow' }));
    expect(content).toBe('hello\n');
    expect(servers.asked.at(-1)).toMatchObject({
      method: 'tools/call',
      params: {
        name: 'approve',
        arguments: {
          tool_name: 'Write',
          input: { file_path: 'new.txt', content: 'hello\n' },
          tool_use_id: expect.stringMatching(/^toolu_/),
        },
      },
    });
    expect(tools).toContain('mcp__guard__other');
    expect(tools).not.toContain('mcp__guard__approve');
    expect(requests).toEqual([]);
  });

  test('may change the input, and deny', async () => {
    const changed = await write(say({ behavior: 'allow', updatedInput: { file_path: 'new.txt', content: 'bye' } }));
    expect(changed.content).toBe('bye');
    const denied = await write(say({ behavior: 'deny', message: 'mcp says no' }));
    expect(denied.content).toBeNull();
    expect(denied.told).toMatchObject({ content: 'mcp says no', is_error: true });
    expect(denied.result).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
  });

  test.each<[string, McpAnswers[string]]>([
    ['something that is no JSON', text('sure')],
    ['something of another shape', say({ ok: true })],
    [
      'an allow beside other texts',
      {
        result: {
          content: [
            { type: 'text', text: '{"behavior":"allow"}' },
            { type: 'text', text: 'x' },
          ],
        },
      },
    ],
    ['a failure', { result: { content: [{ type: 'text', text: '{"behavior":"allow"}' }], isError: true } }],
    ['an error', { error: { code: -32603, message: 'broken' } }],
  ])('that answers with %s denies', async (_what, answer) => {
    const { content, told, result } = await write(answer);
    expect(content).toBeNull();
    expect(told).toMatchObject({ is_error: true, content: expect.stringContaining('Tool permission request failed') });
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [{ tool_name: 'Write' }] });
  });

  test('that the servers do not have denies', async () => {
    const { content, told } = await write(say({ behavior: 'allow' }), { tool: 'mcp__guard__missing' });
    expect(content).toBeNull();
    expect(told).toMatchObject({ content: expect.stringContaining('there is no tool mcp__guard__missing') });
  });
});

test.each([
  ['no server could have it', 'mcp__nope__approve', 'there is no MCP server that could have mcp__nope__approve'],
  ['it is none', 'approve', "takes stdio or mcp__SERVER__TOOL, not 'approve'"],
])('a run is refused where %s', async (_why, tool, words) => {
  const place = await makePlace(writing());
  const { code, stderr, lines } = await runCli([...STREAM_OUT, '--permission-prompt-tool', tool, 'go'], { place });
  expect({ code, lines }).toEqual({ code: 1, lines: [] });
  expect(stderr).toContain(words);
});
