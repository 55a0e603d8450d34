import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Options, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { sdk } from '../support/built.ts';
import { cast, lastText, task } from '../support/cast.ts';
import type { Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';

/** How long the agent is at work after the first result. Longer than any grace period. */
const WORK_MS = 3000;

const script = () =>
  cast<FakeApiRequest>({
    MAIN: [
      task('CHILD go', { run_in_background: true }),
      'I go on.',
      (request) => (lastText(request).includes('<result>All three.</result>') ? 'I heard of it.' : 'I heard nothing.'),
    ],
    CHILD: [
      async () => {
        await sleep(WORK_MS);
        return toolUse('Bash', { command: 'touch made' });
      },
      toolUse('mcp__own__note', { text: 'from the child' }),
      'All three.',
    ],
  });

/** Everything that calls back into the program. */
function program() {
  const called: string[] = [];
  const note = sdk.tool('note', 'Takes a note', { text: z.string() }, async ({ text }) => {
    called.push(`tool: ${text}`);
    return { content: [{ type: 'text', text: 'noted' }] };
  });
  const options: Options = {
    mcpServers: { own: sdk.createSdkMcpServer({ name: 'own', tools: [note] }) },
    allowedTools: ['mcp__own'],
    async canUseTool(name, input, { agentID }) {
      called.push(`asked: ${name} by ${agentID === undefined ? 'the main thread' : 'an agent'}`);
      return { behavior: 'allow', updatedInput: input };
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (input) => {
              called.push(`hook: ${(input as { tool_name: string }).tool_name}`);
              return {};
            },
          ],
        },
      ],
    },
  };
  return { options, called };
}

describe('an agent that works on after the first result', () => {
  test.each(['a string', 'a stream that ends', 'a stream that stays open'])(
    '[BG-05, STD-04, K2] reaches all callbacks of the program: prompt as %s',
    async (kind) => {
      const place = await makePlace(script());
      const { options, called } = program();
      const input = new Channel<SDKUserMessage>();
      input.push({
        type: 'user',
        message: { role: 'user', content: 'MAIN go' },
        parent_tool_use_id: null,
        session_id: '',
      });
      if (kind === 'a stream that ends') input.end();
      const run = sdk.query({
        prompt: kind === 'a string' ? 'MAIN go' : input,
        options: { cwd: place.cwd, env: place.env, stderr: () => {}, ...options },
      });
      const lines: Line[] = [];
      for await (const message of run as AsyncIterable<SDKMessage>) {
        lines.push(message as unknown as Line);
        if (lines.filter(({ type }) => type === 'result').length === 2) input.end();
      }
      const results = lines.filter(({ type }) => type === 'result');
      expect(results.map(({ result }) => result)).toEqual(['I go on.', 'I heard of it.']);
      expect(called).toEqual([
        'hook: Task',
        'hook: Bash',
        'asked: Bash by an agent',
        'hook: mcp__own__note',
        'tool: from the child',
      ]);
    },
  );
});
