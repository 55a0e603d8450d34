import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeApiRequest, type Script, toolUse } from '../../src/testing/index.ts';
import { cast, lastText } from '../support/cast.ts';
import type { Rig } from './rig.ts';
import { resultsOf } from './talk.ts';

/** Longer than an SDK that closes stdin with the first result takes for that. */
const WORK_MS = 1500;
const SCALE = 'mcp__scale__weigh';

/** The main thread starts an agent and is done; much later, the agent needs all that only the host can give. */
export function callbackScript(agentTool: 'Task' | 'Agent'): Script<FakeApiRequest> {
  return cast<FakeApiRequest>({
    MAIN: [
      toolUse(agentTool, {
        description: 'some work',
        prompt: 'CHILD go',
        subagent_type: 'general-purpose',
        run_in_background: true,
      }),
      'I go on.',
      (request) => (lastText(request).includes('Tried it.') ? 'I heard of it.' : 'I heard nothing.'),
    ],
    CHILD: [
      async () => {
        await sleep(WORK_MS);
        return toolUse('Bash', { command: 'touch made', description: 'makes it' });
      },
      toolUse(SCALE, { what: 'it' }),
      'Tried it.',
    ],
  });
}

/** Whatever SDK drives whatever command line: each callback is reached, and the run ends by itself. */
export async function reachesCallbacks({ ask, cwd, sdk, zod }: Rig): Promise<void> {
  const reached: string[] = [];
  const weigh = sdk.tool('weigh', 'Weighs something', { what: zod.z.string() }, async ({ what }) => {
    reached.push(`tool: ${what}`);
    return { content: [{ type: 'text', text: 'heavy' }] };
  });
  const lines = await ask('MAIN go', {
    allowedTools: [SCALE],
    mcpServers: { scale: sdk.createSdkMcpServer({ name: 'scale', version: '1.0.0', tools: [weigh] }) },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            async () => {
              reached.push('hook');
              return {};
            },
          ],
        },
      ],
    },
    async canUseTool(name, input) {
      reached.push(`asked: ${name}`);
      return { behavior: 'allow', updatedInput: input };
    },
  });
  assert.deepEqual(reached, ['hook', 'asked: Bash', 'tool: it']);
  assert.deepEqual(
    resultsOf(lines).map(({ result }) => result),
    ['I go on.', 'I heard of it.'],
  );
  assert(existsSync(join(cwd, 'made')));
}
