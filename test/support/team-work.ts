import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Options, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import { sdk } from './built.ts';
import { cast, lastText } from './cast.ts';
import { isResult, type Line } from './lines.ts';
import { makePlace, type Place } from './place.ts';
import { always, approve, byTheBook, createTeam, mailTo, startMate } from './team-play.ts';

export const PROMPTS = ['a string', 'a stream that ends', 'a stream that stays open'] as const;
export type PromptKind = (typeof PROMPTS)[number];

export interface TeamRun {
  place: Place;
  lines: Line[];
  results: Line[];
  /** What of the program was called, in order. */
  called: string[];
  /** From the leader's first result to the end. */
  lastedMs: number;
}

/**
 * A program whose leader is done at once, and whose teammate works so long before it needs a hook, a permission and a
 * tool of the program.
 */
export async function runLongTeammate(prompt: PromptKind, workMs: number): Promise<TeamRun> {
  const place = await makePlace(longScript(workMs));
  const { options, called } = program();
  const input = new Channel<SDKUserMessage>();
  input.push({ type: 'user', message: { role: 'user', content: 'LEAD go' }, parent_tool_use_id: null, session_id: '' });
  if (prompt === 'a stream that ends') input.end();
  const run = sdk.query({
    prompt: prompt === 'a string' ? 'LEAD go' : input,
    options: { cwd: place.cwd, env: place.env, teams: true, stderr: () => {}, ...options },
  });
  const lines: Line[] = [];
  let firstAt = 0;
  for await (const message of run as AsyncIterable<SDKMessage>) {
    const line = message as unknown as Line;
    lines.push(line);
    if (isResult(line)) firstAt ||= Date.now();
    // A host that keeps its stream open ends it when it has what it wanted.
    if (isResult(line) && line.result === 'I heard all of it.') input.end();
  }
  return { place, lines, results: lines.filter(isResult), called, lastedMs: Date.now() - firstAt };
}

function longScript(workMs: number) {
  const goesOn = byTheBook(['mate1']);
  return cast<FakeApiRequest>({
    LEAD: [
      createTeam(),
      startMate('mate1', 'MATE do the research'),
      'Dispatched.',
      ...always((request) => (lastText(request).includes('found it') ? 'I heard all of it.' : goesOn(request))),
    ],
    MATE: [
      async () => {
        await sleep(workMs);
        return toolUse('Bash', { command: 'touch made' });
      },
      toolUse('mcp__own__note', { text: 'from the teammate' }),
      mailTo('team-lead', 'found it'),
      'I have told it.',
      approve(),
      'Good bye.',
    ],
  });
}

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
      called.push(`asked: ${name} by ${agentID === undefined ? 'the leader' : 'a teammate'}`);
      return { behavior: 'allow', updatedInput: input };
    },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash|mcp__own__note',
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

/** All that the program is called with, by the teammate alone. */
export const CALLED = [
  'hook: Bash',
  'asked: Bash by a teammate',
  'hook: mcp__own__note',
  'tool: from the teammate',
] as const;
