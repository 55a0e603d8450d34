import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options, Query, SDKUserMessage } from '../../../src/sdk/index.ts';
import { toolUse } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { isResult, kindOf, type Line } from '../../support/lines.ts';
import { put } from '../../support/put.ts';
import { bodyOf, conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { bash, next, nextResult, toolText, user, write } from '../talk.ts';

const SONNET = 'claude-sonnet-4-5-20250929';

/** What hosts have got since 0.3 to ask and to decide: questions, input, servers, hooks. */
const cases: Omit<InteropCase, 'only'>[] = [
  {
    id: 'reinitialize',
    title: 'reinitialize() answers again while a question is open, which is asked once',
    script: [bash('touch made'), 'Done.'],
    async run({ start, cwd }) {
      let asked = 0;
      const input = new Channel<SDKUserMessage>();
      const run: Query = start(input, {
        async canUseTool(_name, given) {
          asked++;
          const { commands } = await run.reinitialize();
          assert(Array.isArray(commands) && commands.length > 0);
          return { behavior: 'allow', updatedInput: given };
        },
      });
      input.push(user('go'));
      assert.equal((await nextResult(run)).result, 'Done.');
      assert.deepEqual([asked, existsSync(join(cwd, 'made'))], [1, true]);
      input.end();
    },
  },
  {
    id: 'reinitialize-hooks',
    title: 'after reinitialize() the callbacks of hooks are still asked, once for each call',
    script: [bash('touch made'), 'I may not.'],
    async run({ start, cwd }) {
      let asked = 0;
      const deny = async () => {
        asked++;
        return { decision: 'block' as const, reason: 'no' };
      };
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { allowedTools: ['Bash'], hooks: { PreToolUse: [{ hooks: [deny] }] } });
      await run.reinitialize();
      input.push(user('go'));
      await nextResult(run);
      input.end();
      assert.deepEqual([asked, existsSync(join(cwd, 'made'))], [1, false]);
    },
  },
  {
    id: 'startup-discarded',
    title: 'a process of startup() that is not needed is closed, and takes one prompt at most',
    script: ['Hello.'],
    async run({ sdk, options }) {
      const unused = await sdk.startup({ options: options() });
      unused.close();
      assert.throws(() => unused.query('hi'));
      const warm = await sdk.startup({ options: options() });
      const run = warm.query('hi');
      assert.throws(() => warm.query('again'));
      assert.equal((await nextResult(run)).result, 'Hello.');
    },
  },
  {
    id: 'ask-words',
    title: 'a question comes with words to be shown, and with the id of its request',
    script: [bash('touch made'), 'Done.'],
    async run({ resultOf }) {
      let words: Record<string, unknown> = {};
      await resultOf('go', {
        async canUseTool(_name, given, more) {
          words = { ...more };
          return { behavior: 'allow', updatedInput: given };
        },
      });
      for (const field of ['title', 'displayName', 'requestId', 'toolUseID']) {
        assert(typeof words[field] === 'string' && words[field] !== '', `${field}: ${String(words[field])}`);
      }
      assert.match(String(words.title), /touch made/);
    },
  },
  {
    id: 'ask-null',
    title: 'a question that canUseTool answers with null stays open until it is withdrawn',
    script: [bash('touch made'), 'Next.'],
    async run({ start, cwd }) {
      const input = new Channel<SDKUserMessage>();
      const run: Query = start(input, {
        async canUseTool() {
          setTimeout(() => run.interrupt().catch(() => {}), 300);
          return null as never;
        },
      });
      input.push(user('go'));
      assert.equal((await nextResult(run)).subtype, 'error_during_execution');
      input.push(user('on'));
      assert.equal((await nextResult(run)).result, 'Next.');
      assert(!existsSync(join(cwd, 'made')));
      input.end();
    },
  },
  {
    id: 'priority',
    title: 'messages join a turn by their priority, now before next; later waits for a turn of its own',
    script: [bash('sleep 2'), 'One.', 'Two.'],
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { allowedTools: ['Bash'] });
      input.push(user('go'));
      await next(run, ({ type }) => type === 'assistant');
      input.push(user('in good time', { priority: 'later' }));
      input.push(user('in between', { priority: 'next' }));
      input.push(user('before that', { priority: 'now' }));
      assert.equal((await nextResult(run)).result, 'One.');
      assert.equal((await nextResult(run)).result, 'Two.');
      input.end();
      assert.match(conversationText(api.requests[1]), /before that[\s\S]*in between/);
      assert.doesNotMatch(conversationText(api.requests[1]), /in good time/);
      assert.match(conversationText(api.requests[2]), /in good time/);
    },
  },
  {
    id: 'should-query',
    title: 'shouldQuery: false appends without a turn, and the next prompt takes it along',
    script: ['Hello.'],
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('for later', { shouldQuery: false }));
      input.push(user('now'));
      assert.equal((await nextResult(run)).result, 'Hello.');
      input.end();
      assert.equal(api.requests.length, 1);
      assert.match(conversationText(api.requests[0]), /for later[\s\S]*now/);
    },
  },
  {
    id: 'mcp-read-resource',
    title: 'readMcpResource() reads a page of a server without a turn',
    async run(rig) {
      const run = rig.start(new Channel<SDKUserMessage>(), withLoom(rig));
      const { contents } = await run.readMcpResource('loom', 'ui://loom/page');
      assert.equal(contents[0]?.text, '<p>loom</p>');
      await assert.rejects(run.readMcpResource('loom', 'file:///etc/hosts'));
    },
  },
  {
    id: 'mcp-mode-override',
    title: 'setMcpPermissionModeOverride() has a server asked for where all else runs unasked',
    script: [toolUse('mcp__loom__weave', {}), bash('touch made'), 'Done.'],
    async run(rig) {
      const asked: string[] = [];
      const input = new Channel<SDKUserMessage>();
      const run = rig.start(input, {
        ...withLoom(rig),
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        async canUseTool(name) {
          asked.push(name);
          return { behavior: 'deny', message: 'no' };
        },
      });
      assert.equal((await run.setMcpPermissionModeOverride('loom', 'default')).warning, undefined);
      assert.equal(typeof (await run.setMcpPermissionModeOverride('lom', 'default')).warning, 'string');
      input.push(user('go'));
      await nextResult(run);
      input.end();
      assert.deepEqual(asked, ['mcp__loom__weave']);
      assert(existsSync(join(rig.cwd, 'made')) && !existsSync(join(rig.cwd, 'calls')));
    },
  },
  {
    id: 'tool-aliases',
    title: 'toolAliases has a call by one name run another tool',
    script: [bash('touch made'), 'Done.'],
    async run(rig) {
      const lines = await rig.ask('go', {
        ...withLoom(rig),
        toolAliases: { Bash: 'mcp__loom__weave' },
        allowedTools: ['mcp__loom__weave'],
      });
      assert.match(toolText(lines), /woven/);
      assert(!existsSync(join(rig.cwd, 'made')));
    },
  },
  {
    id: 'plan-instructions',
    title: 'planModeInstructions reach the model in plan mode',
    script: ['A plan.'],
    async run({ ask, api }) {
      await ask('go', { permissionMode: 'plan', planModeInstructions: 'Plan in verse.' });
      assert.match(JSON.stringify(api.requests[0]?.body), /Plan in verse\./);
    },
  },
  {
    id: 'thinking-display',
    title: 'thinking.display reaches the request',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: SONNET, thinking: { type: 'enabled', budgetTokens: 4000, display: 'omitted' } });
      const { thinking } = bodyOf(api.requests[0]) as { thinking?: unknown };
      assert.deepEqual(thinking, { type: 'enabled', budget_tokens: 4000, display: 'omitted' });
    },
  },
  {
    id: 'system-prompt-boundary',
    title: 'what stands before the boundary of a system prompt is cached apart from the rest',
    script: ['Hello.'],
    async run({ ask, api, sdk }) {
      await ask('hi', { systemPrompt: ['Shared by all.', sdk.SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'Of this one.'] });
      const { system = [] } = bodyOf(api.requests[0]) as { system?: { text?: string; cache_control?: object }[] };
      const shared = system.find(({ text }) => text?.includes('Shared by all.'));
      assert(shared?.cache_control && !shared.text?.includes('Of this one.'));
      assert(!JSON.stringify(system).includes(sdk.SYSTEM_PROMPT_DYNAMIC_BOUNDARY));
    },
  },
  {
    id: 'hooks-model-switch',
    title: 'PreModelSwitch can refuse a change of model, PostModelSwitch hears of one',
    script: ['Hello.'],
    async run({ start, api }) {
      const heard: string[] = [];
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { model: SONNET, hooks: switchHooks(heard) });
      await assert.rejects(run.setModel('claude-opus-4-5'), /too dear/);
      await run.setModel('haiku');
      input.push(user('hi'));
      await nextResult(run);
      input.end();
      assert.deepEqual(heard, ['PreModelSwitch', 'PreModelSwitch', 'PostModelSwitch']);
      assert.match(bodyOf(api.requests[0]).model, /haiku/);
    },
  },
  {
    id: 'permission-denied-line',
    title: 'a denial that nobody was asked about is a message of its own',
    script: [write('a.txt'), 'I may not.'],
    async run({ ask }) {
      const lines = await ask('go', { permissionMode: 'dontAsk' });
      const denied = lines.find((line) => kindOf(line) === 'system/permission_denied');
      assert.equal(denied?.tool_name, 'Write');
      assert.equal(denied?.decision_reason_type, 'mode');
    },
  },
  {
    id: 'commands-changed',
    title: 'skills that come while a session runs are told, and supportedCommands() has them',
    async run({ start, cwd }) {
      const run = start(new Channel<SDKUserMessage>());
      await run.supportedCommands();
      put(join(cwd, '.claude/skills/knit/SKILL.md'), '---\ndescription: Knits\n---\nKnit.');
      await run.reloadSkills();
      const told = await next(run, (line) => kindOf(line) === 'system/commands_changed');
      assert((told.commands as { name: string }[]).some(({ name }) => name === 'knit'));
      assert((await run.supportedCommands()).some(({ name }) => name === 'knit'));
    },
  },
  {
    id: 'told-lines',
    title: 'requests, times and origins are told: status requesting, timestamp, ttft_ms, origin',
    script: ['Hello.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { includePartialMessages: true });
      const lines: Line[] = [];
      input.push(user('hi', { origin: { kind: 'channel', server: 'chat' }, uuid: randomUUID() }));
      await next(run, (line) => lines.push(line) > 0 && isResult(line));
      input.end();
      const result = lines.at(-1);
      assert(lines.some((line) => kindOf(line) === 'system/status' && line.status === 'requesting'));
      assert(lines.filter(({ type }) => type === 'assistant').every(({ timestamp }) => typeof timestamp === 'string'));
      assert.equal(typeof result?.ttft_ms, 'number');
      assert.deepEqual(result?.origin, { kind: 'channel', server: 'chat' });
    },
  },
];

export const laterHostCases: InteropCase[] = cases.map((each) => ({ ...each, only: '0.3.325' }));

/** A server that the command line starts: one tool, one page. Its calls are noted in cwd. */
function withLoom({ cli, cwd }: Rig): Options {
  const server = join(dirname(cli), '../test/support/page-mcp-server.mjs');
  return { mcpServers: { loom: { command: process.execPath, args: [server, cwd] } } };
}

function switchHooks(heard: string[]): Options['hooks'] {
  const refusal = { permissionDecision: 'deny', permissionDecisionReason: 'too dear' } as const;
  return {
    PreModelSwitch: [
      {
        hooks: [
          async (input) => {
            heard.push(input.hook_event_name);
            const isDear = JSON.stringify(input).includes('opus');
            return isDear ? { hookSpecificOutput: { hookEventName: 'PreModelSwitch', ...refusal } } : {};
          },
        ],
      },
    ],
    PostModelSwitch: [
      {
        hooks: [
          async (input) => {
            heard.push(input.hook_event_name);
            return {};
          },
        ],
      },
    ],
  };
}
