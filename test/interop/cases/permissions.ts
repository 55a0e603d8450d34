import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CanUseTool, PermissionUpdate, SDKUserMessage } from '../../../src/sdk/index.ts';
import { toolUse } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { kindOf } from '../../support/lines.ts';
import type { InteropCase } from '../case.ts';
import { bash, drain, namesOf, nextResult, resultsOf, toolText, user, write } from '../talk.ts';

const allow: CanUseTool = async (_name, input) => ({ behavior: 'allow', updatedInput: input });
const question = {
  question: 'Which colour?',
  header: 'Colour',
  options: [
    { label: 'Red', description: 'like a rose' },
    { label: 'Blue', description: 'like the sea' },
  ],
  multiSelect: false,
};

/** What a host decides with canUseTool. */
export const permissionCases: InteropCase[] = [
  {
    id: 'ask-allow',
    title: 'canUseTool allows a call: it runs',
    script: [bash('touch made'), 'Done.'],
    async run({ resultOf, cwd }) {
      const asked: string[] = [];
      const canUseTool: CanUseTool = async (name, input, { toolUseID, signal }) => {
        asked.push(`${name} ${input.command} ${toolUseID} ${signal.aborted}`);
        return { behavior: 'allow', updatedInput: input };
      };
      assert.equal((await resultOf('go', { canUseTool })).result, 'Done.');
      assert.deepEqual(asked, ['Bash touch made toolu_fake_1_0 false']);
      assert(existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'ask-updated-input',
    title: 'the call runs with the input that canUseTool gives back',
    script: [bash('touch original'), 'Done.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', {
        canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'touch changed' } }),
      });
      assert.equal(lines.at(-1)?.result, 'Done.');
      assert.deepEqual([existsSync(join(cwd, 'original')), existsSync(join(cwd, 'changed'))], [false, true]);
    },
  },
  {
    id: 'ask-deny',
    title: 'a denial tells the model its message, and is listed in the result',
    script: [bash('touch made'), 'I may not.'],
    async run({ ask, cwd }) {
      const lines = await ask('go', { canUseTool: async () => ({ behavior: 'deny', message: 'Not today' }) });
      assert.equal(toolText(lines), 'Not today');
      assert.equal(lines.at(-1)?.result, 'I may not.');
      assert.deepEqual(namesOf(lines.at(-1)?.permission_denials), ['Bash']);
      assert(!existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'ask-deny-interrupt',
    title: 'a denial with interrupt ends the turn',
    script: [bash('touch made'), 'This is not asked for.'],
    async run({ ask, api }) {
      const lines = await ask('go', {
        canUseTool: async () => ({ behavior: 'deny', message: 'Stop', interrupt: true }),
      });
      assert.equal(lines.at(-1)?.subtype, 'error_during_execution');
      assert.equal(api.requests.length, 1);
    },
  },
  {
    id: 'ask-suggestions',
    title: 'a file edit comes with the suggestion to accept edits',
    script: (_request, index) => (index === 0 ? write('a.txt') : 'Done.'),
    async run({ resultOf }) {
      const offered: PermissionUpdate[] = [];
      const canUseTool: CanUseTool = async (_name, input, { suggestions = [] }) => {
        offered.push(...suggestions);
        return { behavior: 'allow', updatedInput: input };
      };
      await resultOf('go', { canUseTool });
      assert.deepEqual(offered, [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]);
    },
  },
  {
    id: 'ask-updated-permissions',
    title: 'suggestions that are handed back hold for the rest of the session',
    script: [write('a.txt'), write('b.txt'), 'Done.'],
    async run({ ask, cwd }) {
      let asked = 0;
      const canUseTool: CanUseTool = async (_name, input, { suggestions }) => {
        asked++;
        return { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions };
      };
      const lines = await ask('go', { canUseTool });
      assert.equal(asked, 1);
      assert(existsSync(join(cwd, 'b.txt')));
      assert.equal(lines.find(({ subtype }) => subtype === 'status')?.permissionMode, 'acceptEdits');
    },
  },
  {
    id: 'ask-add-rule',
    title: 'a rule in updatedPermissions allows what fits it, and nothing else',
    script: [bash('touch a'), bash('touch b'), bash('mkdir c'), 'Done.'],
    async run({ ask }) {
      const asked: unknown[] = [];
      const canUseTool: CanUseTool = async (_name, input) => {
        asked.push(input.command);
        const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
        const updatedPermissions: PermissionUpdate[] = [
          { type: 'addRules', rules, behavior: 'allow', destination: 'session' },
        ];
        return { behavior: 'allow', updatedInput: input, updatedPermissions };
      };
      await ask('go', { canUseTool });
      assert.deepEqual(asked, ['touch a', 'mkdir c']);
    },
  },
  {
    id: 'ask-local-settings',
    title: 'a rule for localSettings is written to the file of the project',
    script: [bash('touch a'), 'Done.'],
    async run({ ask, cwd }) {
      const canUseTool: CanUseTool = async (_name, input) => {
        const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
        const updatedPermissions: PermissionUpdate[] = [
          { type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' },
        ];
        return { behavior: 'allow', updatedInput: input, updatedPermissions };
      };
      await ask('go', { canUseTool });
      const settings = JSON.parse(readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8'));
      assert.deepEqual(settings.permissions.allow, ['Bash(touch:*)']);
    },
  },
  {
    id: 'ask-throws',
    title: 'a callback that throws is a denial, and the run goes on',
    script: [bash('touch made'), 'I may not.'],
    async run({ ask, cwd }) {
      const canUseTool: CanUseTool = async () => {
        throw new Error('the dialog broke');
      };
      const lines = await ask('go', { canUseTool });
      assert.match(toolText(lines), /the dialog broke/);
      assert.equal(lines.at(-1)?.result, 'I may not.');
      assert(!existsSync(join(cwd, 'made')));
    },
  },
  {
    id: 'ask-withdrawn',
    title: 'an interrupt aborts the signal of a question that is open',
    script: [bash('touch made'), 'Next.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      let withdrawn = false;
      const canUseTool: CanUseTool = (_name, _input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ behavior: 'deny', message: 'gone' });
          });
          void run.interrupt();
        });
      const run = start(input, { canUseTool });
      input.push(user('go'));
      assert.equal((await nextResult(run)).subtype, 'error_during_execution');
      assert(withdrawn);
      input.push(user('and now?'));
      assert.equal((await nextResult(run)).result, 'Next.');
      input.end();
      await drain(run);
    },
  },
  {
    id: 'ask-side-by-side',
    title: 'two calls of one message are asked for under their own ids',
    script: [[write('a.txt'), write('b.txt')], 'Done.'],
    async run({ resultOf, cwd }) {
      const ids: string[] = [];
      const canUseTool: CanUseTool = async (name, input, options) => {
        ids.push(options.toolUseID);
        return allow(name, input, options);
      };
      assert.equal((await resultOf('go', { canUseTool })).result, 'Done.');
      assert.deepEqual(ids, ['toolu_fake_1_0', 'toolu_fake_1_1']);
      assert(existsSync(join(cwd, 'a.txt')) && existsSync(join(cwd, 'b.txt')));
    },
  },
  {
    id: 'ask-user-question',
    title: 'AskUserQuestion is answered through canUseTool',
    script: [toolUse('AskUserQuestion', { questions: [question] }), 'Blue it is.'],
    async run({ ask }) {
      const lines = await ask('ask me', {
        canUseTool: async (name, input) => {
          assert.equal(name, 'AskUserQuestion');
          return { behavior: 'allow', updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } } };
        },
      });
      assert.match(toolText(lines), /Blue/);
      assert.equal(lines.at(-1)?.result, 'Blue it is.');
    },
  },
  {
    id: 'ask-exit-plan',
    title: 'ExitPlanMode asks, and allowing it ends plan mode',
    script: [toolUse('ExitPlanMode', { plan: 'Do it.' }), 'On it.'],
    async run({ ask }) {
      const asked: string[] = [];
      const lines = await ask('plan', {
        permissionMode: 'plan',
        canUseTool: async (name, input) => {
          asked.push(name);
          return { behavior: 'allow', updatedInput: input };
        },
      });
      assert.deepEqual(asked, ['ExitPlanMode']);
      assert.equal(lines.find(({ subtype }) => subtype === 'status')?.permissionMode, 'default');
    },
  },
  {
    id: 'ask-nobody',
    title: 'without canUseTool what would be asked is denied, and the run goes on',
    script: [bash('touch made'), 'I may not.'],
    async run({ ask, cwd }) {
      const lines = await ask('go');
      assert.deepEqual(lines.map(kindOf).at(-1), 'result/success');
      assert.deepEqual(namesOf(resultsOf(lines)[0]?.permission_denials), ['Bash']);
      assert(!existsSync(join(cwd, 'made')));
    },
  },
];
