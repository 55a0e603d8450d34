import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ElicitationRequest, Options } from '../../src/sdk/index.ts';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { type Line, textsOf, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

/** What a server of somebody else's offers, over stdio and through the SDK: the official one that has everything. */

const SERVER = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

async function ask(script: AnswerLike[], prompt: string, options: Options = {}) {
  const place = await makePlace(script);
  const mcpServers = { all: { command: process.execPath, args: [SERVER] } };
  const base: Options = { cwd: place.cwd, env: place.env, allowedTools: ['mcp__all'], stderr: () => {}, mcpServers };
  const lines: Line[] = [];
  for await (const message of sdk.query({ prompt, options: { ...base, ...options } }))
    lines.push(message as unknown as Line);
  const messages = (place.api.requests.at(-1)?.body.messages ?? []) as Line['message'][];
  return { place, lines, told: messages.flatMap((message) => textsOf(message)).join('\n') };
}

const results = (lines: Line[]) =>
  lines.flatMap((line) => textsOf({ content: [toolResult(line) ?? { type: 'none' }] }));

test('[B-183] its questions reach onElicitation, and the roots are the directory', async () => {
  const asked: ElicitationRequest[] = [];
  const onElicitation: Options['onElicitation'] = async (request) => {
    asked.push(request);
    return { action: 'accept', content: { name: 'Ada' } };
  };
  const script = [toolUse('mcp__all__trigger-elicitation-request', {}), toolUse('mcp__all__get-roots-list', {}), 'ok'];
  const { place, lines } = await ask(script, 'go', { onElicitation });
  expect(asked).toMatchObject([{ serverName: 'all', requestedSchema: { type: 'object' } }]);
  const [answered, roots] = results(lines).join('\n').split('Current MCP Roots');
  expect(answered).toContain('Ada');
  expect(roots).toContain(`file://${place.cwd}`);
});

test('without anybody to ask it is declined', async () => {
  const { lines } = await ask([toolUse('mcp__all__trigger-elicitation-request', {}), 'ok'], 'go');
  expect(results(lines).join('\n')).toMatch(/declined/i);
});

test('[B-202, B-225] its prompts, resources and instructions reach the model', async () => {
  const prompted = await ask(['ok'], '/mcp__all__args-prompt Berlin');
  expect(prompted.told).toContain('Berlin');
  expect(prompted.told).toContain('Everything Server');
  const mentioned = await ask(['ok'], 'See @all:demo://resource/static/document/architecture.md');
  expect(mentioned.told).toContain('Architecture');
});

test('its progress is told', async () => {
  const call = toolUse('mcp__all__trigger-long-running-operation', { duration: 2, steps: 2 });
  const { lines } = await ask([call, 'ok'], 'go');
  const told = lines.filter(({ type }) => type === 'tool_progress');
  expect(told[0]).toMatchObject({ tool_name: 'mcp__all__trigger-long-running-operation', progress: 1, total: 2 });
});
