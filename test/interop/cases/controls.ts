import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKUserMessage } from '../../../src/sdk/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { textsOf } from '../../support/lines.ts';
import { eventually } from '../../support/processes.ts';
import { bodyOf } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import { bash, drain, endless, next, nextResult, user, write } from '../talk.ts';

const [SONNET, HAIKU] = ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001'];

/** The methods of a running query. */
export const controlCases: InteropCase[] = [
  {
    id: 'interrupt-answer',
    title: 'interrupt() ends an answer with a result, and the session goes on',
    script: [endless, 'Next.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { includePartialMessages: true });
      input.push(user('go'));
      await next(run, ({ event }) => event?.type === 'content_block_delta');
      await run.interrupt();
      const marker = await next(run, ({ type }) => type === 'user');
      assert.deepEqual(textsOf(marker.message), ['[Request interrupted by user]']);
      assert.equal((await nextResult(run)).subtype, 'error_during_execution');
      input.push(user('and now?'));
      assert.equal((await nextResult(run)).result, 'Next.');
      input.end();
      await drain(run);
    },
  },
  {
    id: 'interrupt-tool',
    title: 'interrupt() stops a running command',
    script: [bash('sleep 30'), 'Next.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { allowedTools: ['Bash'] });
      input.push(user('go'));
      await next(run, ({ type }) => type === 'assistant');
      await run.interrupt();
      assert.equal((await nextResult(run)).subtype, 'error_during_execution');
      input.push(user('and now?'));
      assert.equal((await nextResult(run)).result, 'Next.');
      input.end();
    },
  },
  {
    id: 'interrupt-idle',
    title: 'interrupt() between turns does nothing',
    script: ['One.', 'Two.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('first'));
      await nextResult(run);
      await run.interrupt();
      input.push(user('second'));
      assert.equal((await nextResult(run)).result, 'Two.');
      input.end();
    },
  },
  {
    id: 'set-model',
    title: 'setModel() holds from the next turn on, and without a name goes back',
    script: () => 'Hello.',
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { model: SONNET });
      for (const model of [SONNET, HAIKU]) {
        if (model !== SONNET) await run.setModel(model);
        input.push(user('hi'));
        assert.equal((await next(run, ({ subtype }) => subtype === 'init')).model, model);
        await nextResult(run);
      }
      input.end();
      assert.deepEqual(
        api.requests.map((request) => bodyOf(request).model),
        [SONNET, HAIKU],
      );
    },
  },
  {
    id: 'set-max-thinking-tokens',
    title: 'setMaxThinkingTokens() sets the budget of the next turn, and null takes it away',
    script: () => 'Hello.',
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { model: SONNET });
      for (const tokens of [5000, null]) {
        await run.setMaxThinkingTokens(tokens);
        input.push(user('hi'));
        await nextResult(run);
      }
      input.end();
      const [first, second] = api.requests.map((request) => bodyOf(request).thinking);
      assert.deepEqual(first, { type: 'enabled', budget_tokens: 5000 });
      assert.equal(second, undefined);
    },
  },
  {
    id: 'supported-commands',
    title: 'supportedCommands() lists slash commands with descriptions',
    async run({ start }) {
      const commands = await start(new Channel<SDKUserMessage>()).supportedCommands();
      assert(commands.length > 0);
      for (const { name, description, argumentHint } of commands) {
        assert(name.length > 0 && description.length > 0 && typeof argumentHint === 'string');
      }
    },
  },
  {
    id: 'supported-models',
    title: 'supportedModels() lists models with names for people',
    async run({ start }) {
      const models = await start(new Channel<SDKUserMessage>()).supportedModels();
      assert(models.length > 0);
      for (const model of models) assert(model.value && model.displayName && typeof model.description === 'string');
    },
  },
  {
    id: 'account-info',
    title: 'accountInfo() says where the key comes from',
    async run({ start }) {
      const account = await start(new Channel<SDKUserMessage>()).accountInfo();
      assert.equal(account.apiKeySource, 'ANTHROPIC_API_KEY');
    },
  },
  {
    id: 'initialization-result',
    title: 'initializationResult() has commands, models, output styles and account',
    async run({ start }) {
      const init = await start(new Channel<SDKUserMessage>()).initializationResult();
      assert(Array.isArray(init.commands) && Array.isArray(init.models) && init.account);
      assert.equal(init.output_style, 'default');
      assert(init.available_output_styles.includes('default'));
    },
  },
  {
    id: 'controls-with-string-prompt',
    title: 'the methods work while a string prompt is answered',
    script: [bash('sleep 0.5'), write('a.txt'), 'Done.'],
    async run({ start, cwd }) {
      const run = start('go', { allowedTools: ['Bash'] });
      await next(run, ({ type }) => type === 'assistant');
      await run.setPermissionMode('acceptEdits');
      assert.equal((await nextResult(run)).result, 'Done.');
      assert(existsSync(join(cwd, 'a.txt')));
      await drain(run);
    },
  },
  {
    id: 'unknown-mode',
    title: 'a mode that does not exist is refused, and the run goes on',
    script: ['Hello.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      await assert.rejects(run.setPermissionMode('banana' as 'default'), /banana/);
      input.push(user('hi'));
      assert.equal((await nextResult(run)).result, 'Hello.');
      input.end();
    },
  },
  {
    id: 'bypass-not-launched',
    title: 'bypassPermissions cannot be switched on later when it was not permitted at the start',
    async run({ start }) {
      const run = start(new Channel<SDKUserMessage>());
      await assert.rejects(run.setPermissionMode('bypassPermissions'));
    },
  },
  {
    id: 'close',
    title: 'close() ends a run in the middle of an answer',
    script: [endless],
    async run({ start, api }) {
      const run = start('go');
      await eventually(() => api.requests.length === 1, 10_000);
      const ended = drain(run).catch(() => -1);
      await run.close();
      await ended;
    },
  },
];
