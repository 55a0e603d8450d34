import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FakeApiRequest, toolUse } from '../../../src/testing/index.ts';
import { cast } from '../../support/cast.ts';
import { conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import { bash, namesOf, toolText } from '../talk.ts';

/** What hosts bring along: hooks, agents, servers outside of their program. */
export const extensionCases: InteropCase[] = [
  {
    id: 'hooks-pre-tool-use',
    title: 'a PreToolUse callback decides a call',
    script: [bash('touch made'), 'I may not.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', {
        allowedTools: ['Bash'],
        hooks: {
          PreToolUse: [
            {
              matcher: 'Bash',
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: 'PreToolUse',
                    permissionDecision: 'deny',
                    permissionDecisionReason: 'not on a Monday',
                  },
                }),
              ],
            },
          ],
        },
      });
      assert.match(toolText(lines), /not on a Monday/);
      assert.deepEqual([namesOf(lines.at(-1)?.permission_denials), existsSync(join(cwd, 'made'))], [['Bash'], false]);
    },
  },
  {
    id: 'agents-option',
    title: 'agents of the host are offered to the model and run',
    script: cast<FakeApiRequest>({
      MAIN: [toolUse('Task', { subagent_type: 'poet', description: 'verse', prompt: 'CHILD rhyme' }), 'Heard it.'],
      CHILD: ['A verse.'],
    }),
    async run({ resultOf, api }) {
      const poet = { description: 'Writes verse', prompt: 'You are a poet.' };
      assert.equal((await resultOf('MAIN go', { agents: { poet } })).result, 'Heard it.');
      assert.match(JSON.stringify(api.requests[0]?.body), /Writes verse/);
      assert.match(JSON.stringify(api.requests[1]?.body), /You are a poet\./);
      assert.match(conversationText(api.requests[2]), /A verse\./);
    },
  },
  {
    id: 'mcp-stdio',
    title: 'a server that the command line starts itself',
    script: [toolUse('mcp__loom__weave', {}), 'Done.'],
    async run({ ask, cli, cwd }) {
      const server = join(dirname(cli), '../test/support/page-mcp-server.mjs');
      const loom = { command: process.execPath, args: [server, cwd] };
      const lines = await ask('go', { mcpServers: { loom }, allowedTools: ['mcp__loom__weave'] });
      assert.match(toolText(lines), /woven/);
    },
  },
];
