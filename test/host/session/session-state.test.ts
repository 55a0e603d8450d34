import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { ROOT } from '../../support/root.ts';
import { createHouse, kindOf } from '../support.ts';

const READS = { CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };

async function talk(env: Record<string, string>) {
  const house = createHouse([toolUse('Bash', { command: 'touch canary' }), 'done', 'again']);
  const client = house.connect(
    { permissionPromptTool: 'stdio' },
    { env: { HOME: house.dir, PATH: process.env.PATH, ...env }, answer: () => ({ behavior: 'allow' }) },
  );
  await client.ask('go');
  await client.ask('on');
  return client;
}

/** The lines that matter here, in their order. */
function told(lines: readonly JsonObject[]): unknown[] {
  return lines.flatMap((line) => {
    const kind = kindOf(line);
    if (kind === 'system/session_state_changed') return [line.state];
    return kind.startsWith('control_request') || kind === 'result' ? [kind] : [];
  });
}

test('[B-118] a host that reads it learns whether the session works, waits for it, or is idle', async () => {
  const client = await talk(READS);
  await client.until(() => told(client.lines).at(-1) === 'idle');
  expect(told(client.lines)).toEqual([
    ...['running', 'requires_action', 'control_request/can_use_tool', 'running', 'result', 'idle'],
    ...['running', 'result', 'idle'],
  ]);
  expect(client.of('system/session_state_changed')[0]).toMatchObject({ sdk_host_only: true });
});

test('[B-118] others are not told', async () => {
  expect((await talk({})).of('system/session_state_changed')).toEqual([]);
});

test('[B-118] a question that is asked outside of a turn leaves an idle session idle', async () => {
  const house = createHouse([]);
  const server = join(ROOT, 'test/support/page-mcp-server.mjs');
  const servers = { loom: { command: process.execPath, args: [server, house.dir] } };
  const client = house.connect(
    { permissionPromptTool: 'stdio', mcpConfig: [JSON.stringify({ mcpServers: servers })] },
    { env: { HOME: house.dir, PATH: process.env.PATH, ...READS }, answer: () => ({ behavior: 'allow' }) },
  );
  await client.control({ subtype: 'mcp_call', tool: 'mcp__loom__weave', arguments: {}, check_permissions: true });
  expect(told(client.lines)).toEqual(['requires_action', 'control_request/can_use_tool', 'idle']);
});
