import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Options, Query, SDKUserMessage } from '../../src/sdk/index.ts';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { sdk } from '../support/built.ts';
import type { Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';

const PAGES = join(ROOT, 'test/support/page-mcp-server.mjs');

async function talk(script: AnswerLike[], options: (cwd: string) => Options, act: (talk: Talk) => Promise<void>) {
  const place = await makePlace(script);
  const input = new Channel<SDKUserMessage>();
  const own = options(place.cwd);
  const run = sdk.query({ prompt: input, options: { cwd: place.cwd, env: place.env, stderr: () => {}, ...own } });
  const results: Line[] = [];
  const reading = (async () => {
    for await (const message of run) if (message.type === 'result') results.push(message as unknown as Line);
  })();
  const ask = async () => {
    const before = results.length;
    input.push({ type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null, session_id: '' });
    await eventually(() => results.length > before);
    return results.at(-1) as Line;
  };
  await act({ run, ask });
  input.end();
  await reading;
}

interface Talk {
  run: Query;
  ask(): Promise<Line>;
}

test('[B-087] readMcpResource() reads the page of a tool; what is no page is refused', async () => {
  const options = (cwd: string) => ({ mcpServers: { loom: { command: process.execPath, args: [PAGES, cwd] } } });
  await talk([], options, async ({ run }) => {
    const { contents } = await run.readMcpResource('loom', 'ui://loom/page');
    expect(contents).toMatchObject([{ uri: 'ui://loom/page', mimeType: 'text/html', text: '<p>loom</p>' }]);
    await expect(run.readMcpResource('loom', 'file:///x')).rejects.toThrow('ui://');
  });
});

test('[B-089] setMcpPermissionModeOverride() has calls asked for that would run', async () => {
  const asked: string[] = [];
  const options = (cwd: string): Options => ({
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    mcpServers: { loom: { command: process.execPath, args: [PAGES, cwd] } },
    canUseTool: async (name) => {
      asked.push(name);
      return { behavior: 'deny', message: 'no' };
    },
  });
  const call = toolUse('mcp__loom__weave', {});
  await talk([call, 'ok', call, 'ok'], options, async ({ run, ask }) => {
    expect(await run.setMcpPermissionModeOverride('loom', 'default')).toEqual({});
    expect((await ask()).permission_denials).toHaveLength(1);
    expect(await run.setMcpPermissionModeOverride('loom', null)).toEqual({});
    expect((await ask()).permission_denials).toHaveLength(0);
    expect(asked).toEqual(['mcp__loom__weave']);
  });
});

test('[B-199] servers of the program have a policy for each tool', async () => {
  let calls = 0;
  const add = sdk.tool('add', '', { a: z.number() }, async () => `${++calls}`);
  const calc = { ...sdk.createSdkMcpServer({ name: 'calc', tools: [add] }), tools: [denied] };
  const options = (): Options => ({ mcpServers: { calc }, allowedTools: ['mcp__calc'] });
  await talk([toolUse('mcp__calc__add', { a: 1 }), 'ok'], options, async ({ ask }) => {
    expect((await ask()).permission_denials).toHaveLength(1);
    expect(calls).toBe(0);
  });
});

const denied = { name: 'add', permission_policy: 'always_deny' as const };
