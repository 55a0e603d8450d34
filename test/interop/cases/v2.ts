import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKSession } from '../../../src/sdk/index.ts';
import { kindOf, type Line } from '../../support/lines.ts';
import { conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { bash } from '../talk.ts';

const only = '0.2.44';

/** The session API that 0.2 has beside query(). */
export const v2Cases: InteropCase[] = [
  {
    id: 'v2-prompt',
    title: 'unstable_v2_prompt() resolves with the result',
    only,
    script: ['Hello.'],
    async run(rig) {
      const result = await rig.sdk.unstable_v2_prompt('hi', sessionOptions(rig));
      assert.equal(result.subtype === 'success' && result.result, 'Hello.');
    },
  },
  {
    id: 'v2-session',
    title: 'unstable_v2_createSession(): send, then stream up to the result, as often as wanted',
    only,
    script: ['One.', 'Two.'],
    async run(rig) {
      const session = rig.sdk.unstable_v2_createSession(sessionOptions(rig));
      try {
        assert.deepEqual((await turn(session, 'first')).map(kindOf), ['system/init', 'assistant', 'result/success']);
        assert.equal((await turn(session, 'second')).at(-1)?.result, 'Two.');
        assert.match(session.sessionId, /^[0-9a-f-]{36}$/);
        assert.match(conversationText(rig.api.requests[1]), /first[\s\S]*One[\s\S]*second/);
      } finally {
        await session.close();
      }
    },
  },
  {
    id: 'v2-resume',
    title: 'unstable_v2_resumeSession() goes on with a session',
    only,
    script: ['One.', 'Two.'],
    async run(rig) {
      const first = rig.sdk.unstable_v2_createSession(sessionOptions(rig));
      const id = (await turn(first, 'first'))[0]?.session_id ?? '';
      await first.close();
      const second = rig.sdk.unstable_v2_resumeSession(id, sessionOptions(rig));
      try {
        const lines = await turn(second, 'second');
        assert.equal(lines.at(-1)?.session_id, id);
        assert.match(conversationText(rig.api.requests[1]), /first[\s\S]*One[\s\S]*second/);
      } finally {
        await second.close();
      }
    },
  },
  {
    id: 'v2-permission',
    title: 'canUseTool decides in a session, too',
    only,
    script: [bash('touch made'), 'Done.'],
    async run(rig) {
      const session = rig.sdk.unstable_v2_createSession({
        ...sessionOptions(rig),
        canUseTool: async (_name, input) => ({ behavior: 'allow', updatedInput: input }),
      });
      try {
        assert.equal((await turn(session, 'go')).at(-1)?.result, 'Done.');
        assert(existsSync(join(rig.cwd, 'made')));
      } finally {
        await session.close();
      }
    },
  },
  {
    id: 'v2-dispose',
    title: 'a session can be disposed of',
    only,
    script: ['One.'],
    async run(rig) {
      const session = rig.sdk.unstable_v2_createSession(sessionOptions(rig));
      await turn(session, 'first');
      await session[Symbol.asyncDispose]();
    },
  },
];

/** It has no cwd: the session works where the program is. */
function sessionOptions({ env, cli }: Rig) {
  return { model: 'claude-sonnet-4-5', env, pathToClaudeCodeExecutable: cli };
}

async function turn(session: SDKSession, prompt: string): Promise<Line[]> {
  await session.send(prompt);
  const lines: Line[] = [];
  for await (const message of session.stream()) lines.push(message as unknown as Line);
  return lines;
}
