import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Options } from '../../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../../src/testing/index.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { kindOf, type Line } from '../../support/lines.ts';
import { conversationText } from '../../support/requests.ts';
import { ALL_DONE, always, approve, byTheBook, createTeam, mailTo, startMate } from '../../support/team-play.ts';
import { callbackScript, reachesCallbacks } from '../callbacks.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { namesOf, resultsOf } from '../talk.ts';

/** Longer than the SDK leaves stdin open behind the first result of a string prompt. */
const WORK_MS = 1500;

const late = (command: string) => async () => {
  await sleep(WORK_MS);
  return toolUse('Bash', { command });
};

/** The main thread starts an agent and is done; the agent needs a command much later. */
const agentScript = () =>
  cast<FakeApiRequest>({
    MAIN: [
      task('CHILD go', { run_in_background: true }),
      'I go on.',
      (request) => (lastText(request).includes('<result>Tried it.</result>') ? 'I heard of it.' : 'I heard nothing.'),
    ],
    CHILD: [late('touch made'), 'Tried it.'],
  });

const teamScript = () =>
  cast<FakeApiRequest>({
    LEAD: [createTeam(), startMate('mate1', 'MATE go'), 'Dispatched.', ...always(byTheBook(['mate1']))],
    MATE: [late('touch made'), mailTo('team-lead', 'tried it'), 'Told.', approve(), 'Good bye.'],
  });

const teams = ({ env }: Rig): Options => ({ env: { ...env, CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1' } });

/** Work that goes on behind the first result of a string prompt. */
export const laterCases: InteropCase[] = [
  {
    id: 'later-agent',
    title: 'an agent in the background works on behind the first result; its end is told, and a second result comes',
    script: agentScript(),
    async run({ ask, cwd }) {
      const lines = await ask('MAIN go', { allowedTools: ['Bash'] });
      assert.deepEqual(textsOf(lines), ['I go on.', 'I heard of it.']);
      assert.equal(lines.filter((line) => kindOf(line) === 'system/task_notification').length, 1);
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'later-team',
    title: 'a teammate works on behind the first result, and the team is shut down in good order',
    script: teamScript(),
    async run(rig) {
      const lines = await rig.ask('LEAD go', { ...teams(rig), allowedTools: ['Bash'] });
      assert.equal(textsOf(lines)[0], 'Dispatched.');
      assert.equal(textsOf(lines).at(-1), ALL_DONE);
      assert(existsSync(join(rig.cwd, 'made')));
      assert.match(conversationText(rig.api.requests.at(-1)), /tried it/);
    },
  },
  {
    id: 'later-callbacks',
    title: 'canUseTool, hooks and tools of the host are reached by an agent that works on behind the first result',
    only: '0.3.325',
    script: callbackScript('Task'),
    run: reachesCallbacks,
  },
  {
    id: 'later-team-callbacks',
    title:
      'and so they are by a teammate; when all have come to rest, the SDK ends the input and the team is shut down',
    only: '0.3.325',
    script: teamScript(),
    async run(rig) {
      const heard: string[] = [];
      const note = async () => {
        heard.push('hook');
        return {};
      };
      const lines = await rig.ask('LEAD go', {
        ...teams(rig),
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [note] }] },
        async canUseTool(name, input) {
          heard.push(name);
          return { behavior: 'allow', updatedInput: input };
        },
      });
      assert.deepEqual(heard, ['hook', 'Bash']);
      assert.equal(textsOf(lines).at(-1), ALL_DONE);
      assert(existsSync(join(rig.cwd, 'made')));
    },
  },
  {
    id: 'later-permission-gone',
    title: 'once the SDK has closed stdin, what would ask canUseTool is denied and listed, and the agent goes on',
    only: '0.2.44',
    script: agentScript(),
    async run({ ask, cwd }) {
      const asked: string[] = [];
      const lines = await ask('MAIN go', {
        async canUseTool(name, input) {
          asked.push(name);
          return { behavior: 'allow', updatedInput: input };
        },
      });
      assert.deepEqual(textsOf(lines), ['I go on.', 'I heard of it.']);
      assert.deepEqual(namesOf(lines.at(-1)?.permission_denials), ['Bash']);
      assert.deepEqual([asked, existsSync(join(cwd, 'made'))], [[], false]);
    },
  },
  {
    id: 'later-hook-gone',
    title: 'nor does a call run whose PreToolUse callback cannot be reached any more; the team goes on to its end',
    only: '0.2.44',
    script: teamScript(),
    async run(rig) {
      const heard: string[] = [];
      const lines = await rig.ask('LEAD go', {
        ...teams(rig),
        allowedTools: ['Bash'],
        stderr: (data) => void heard.push(data),
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})] }] },
      });
      assert.equal(textsOf(lines).at(-1), ALL_DONE);
      assert(!existsSync(join(rig.cwd, 'made')));
      assert.match(heard.join(''), /PreToolUse/);
      const denied = resultsOf(lines).flatMap(({ permission_denials }) => namesOf(permission_denials));
      assert.deepEqual(denied, ['Bash']);
    },
  },
];

function textsOf(lines: Line[]): unknown[] {
  return resultsOf(lines).map(({ result }) => result);
}
