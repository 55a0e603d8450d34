import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { hostServers, initialized, type McpAnswers, text } from '../support/mcp-host.ts';
import { makePlace } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

const LOOM = { command: process.execPath, args: [join(ROOT, 'test/support/loom-mcp-server.mjs'), 'weave'] };

test('[B-196] a question says who has defined the server: only the host has servers of the source sdk', async () => {
  const call = (server: string, tool: string) => toolUse(`mcp__${server}__${tool}`, {});
  const place = await makePlace([[call('calc', 'add'), call('loom', 'weave'), call('given', 'weave')], 'understood']);
  // Names and types are the project's to choose: they do not make it the host.
  const project = { loom: LOOM, calc: { type: 'sdk', name: 'calc' } };
  writeFileSync(join(place.cwd, '.mcp.json'), JSON.stringify({ mcpServers: project }));
  const given = JSON.stringify({ mcpServers: { given: LOOM, calc: { type: 'sdk', name: 'calc' } } });
  const flags = ['--permission-prompt-tool', 'stdio', '--setting-sources', 'project', '--trust', '--mcp-config', given];
  const cli = startCli([...STREAM_BOTH, ...flags], { place });
  const calc: McpAnswers = {
    initialize: initialized({ tools: {} }),
    'tools/list': { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } },
    'tools/call': text('2'),
  };
  const asked = new Map<unknown, unknown>();
  const can_use_tool = (request: Record<string, unknown>) => {
    asked.set(request.tool_name, request.mcp_server);
    return { behavior: 'deny', message: 'no' };
  };
  hostServers(cli, { calc }, { can_use_tool });
  await cli.control({ subtype: 'initialize', sdkMcpServers: ['calc'] });
  cli.say('go');
  await cli.nextResult();
  expect(Object.fromEntries(asked)).toEqual({
    mcp__calc__add: { name: 'calc', source: 'sdk' },
    mcp__loom__weave: { name: 'loom', source: 'project' },
    mcp__given__weave: { name: 'given', source: 'dynamic' },
  });
});
