import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fail, reply, text } from '../../../src/testing/index.ts';
import { isResult, type Line } from '../../support/lines.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { bash } from '../talk.ts';

const SOON = { 'retry-after-ms': '1' };

/** What a host is told when something does not work, and where a run stops. */
export const failureCases: InteropCase[] = [
  {
    id: 'max-turns',
    title: 'maxTurns ends in error_max_turns',
    script: () => bash('echo again'),
    async run({ resultOf, api }) {
      const result = await resultOf('go', { maxTurns: 2, allowedTools: ['Bash'] });
      assert.equal(result.subtype, 'error_max_turns');
      assert.equal(api.requests.length, 2);
    },
  },
  {
    id: 'max-budget',
    title: 'maxBudgetUsd ends in error_max_budget_usd',
    script: () => bash('echo again'),
    async run({ resultOf }) {
      const result = await resultOf('go', {
        maxBudgetUsd: 0.000001,
        allowedTools: ['Bash'],
        model: 'claude-sonnet-4-5',
      });
      assert.equal(result.subtype, 'error_max_budget_usd');
      assert((result.total_cost_usd as number) > 0);
    },
  },
  {
    id: 'error-401',
    title: 'a rejected key is an assistant message with its kind of error, and an error result',
    script: () => fail(401, 'authentication_error', 'invalid x-api-key'),
    async run(rig) {
      const { answer, result } = await failing(rig);
      assert.equal(answer?.error, 'authentication_failed');
      assert.equal(result.is_error, true);
    },
  },
  {
    id: 'error-400',
    title: 'a request that the API refuses is not sent again',
    script: () => fail(400, 'invalid_request_error', 'it is wrong'),
    async run(rig) {
      const { result } = await failing(rig);
      assert.equal(result.is_error, true);
      assert.match(String(result.result), /it is wrong/);
      assert.equal(rig.api.requests.length, 1);
    },
  },
  {
    id: 'error-429',
    title: 'a rate limit is retried, then reported',
    script: () => fail(429, 'rate_limit_error', 'slow down', SOON),
    async run(rig) {
      const { answer, result } = await failing(rig);
      assert.equal(answer?.error, 'rate_limit');
      assert.equal(result.is_error, true);
      assert.equal(rig.api.requests.length, 3);
    },
  },
  {
    id: 'error-overloaded',
    title: 'an overloaded model that recovers is only a delay',
    script: (_request, index) => (index < 2 ? fail(529, 'overloaded_error', 'Overloaded', SOON) : 'Here I am.'),
    async run({ resultOf, api }) {
      assert.equal((await resultOf('hi')).result, 'Here I am.');
      assert.equal(api.requests.length, 3);
    },
  },
  {
    id: 'error-500',
    title: 'a server that stays broken is an error result',
    script: () => fail(500, 'api_error', 'Internal', SOON),
    async run(rig) {
      const { result } = await failing(rig);
      assert.equal(result.is_error, true);
    },
  },
  {
    id: 'error-cut',
    title: 'an answer that breaks off is asked for again',
    script: (_request, index) =>
      index === 0 ? reply([text('half')], { fault: { after: { block: 0 }, how: 'cut' } }) : 'Whole.',
    async run({ resultOf }) {
      assert.equal((await resultOf('hi')).result, 'Whole.');
    },
  },
  {
    id: 'error-no-key',
    title: 'without credentials the run ends with an error result',
    async run({ ask, env }) {
      const { ANTHROPIC_API_KEY: _, ...rest } = env;
      const result = (await ask('hi', { env: rest })).find(isResult);
      assert.equal(result?.is_error, true);
    },
  },
  {
    id: 'error-bad-flag',
    title: 'a flag that does not exist makes the iterator throw',
    async run({ ask }) {
      await assert.rejects(ask('hi', { extraArgs: { 'no-such-flag': null } }), /exited with code 1/);
    },
  },
  {
    id: 'error-no-executable',
    title: 'an executable that is not there is an error, not a hang',
    async run({ ask, cwd }) {
      await assert.rejects(ask('hi', { pathToClaudeCodeExecutable: join(cwd, 'nothing.js') }));
    },
  },
  {
    id: 'error-tool-input',
    title: 'a call with a wrong input is an error for the model, not for the host',
    script: (_request, index) =>
      index === 0 ? { block: { type: 'tool_use', name: 'Read', input: {} } } : 'My mistake.',
    async run({ resultOf }) {
      assert.equal((await resultOf('go')).result, 'My mistake.');
    },
  },
];

/** A run that is expected to fail, with two retries. */
async function failing({ ask, env }: Rig): Promise<{ answer: Line | undefined; result: Line }> {
  const lines = await ask('hi', { env: { ...env, CLAUDE_CODE_MAX_RETRIES: '2' } });
  const result = lines.find(isResult);
  assert(result, 'There was no result');
  return { answer: lines.find(({ type }) => type === 'assistant'), result };
}
