import assert from 'node:assert/strict';
import { fail, toolUse } from '../../../src/testing/index.ts';
import { bodyOf } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import type { Rig } from '../rig.ts';
import { initOf } from '../talk.ts';

const [SONNET, HAIKU] = ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001'];
const schema = {
  type: 'object',
  properties: { capital: { type: 'string' } },
  required: ['capital'],
  additionalProperties: false,
};

/** Which model answers, with which prompt, in which form. */
export const modelCases: InteropCase[] = [
  {
    id: 'model',
    title: 'model names the model of the requests',
    script: ['Hello.'],
    async run({ ask, api }) {
      assert.equal(initOf(await ask('hi', { model: HAIKU })).model, HAIKU);
      assert.equal(bodyOf(api.requests[0]).model, HAIKU);
    },
  },
  {
    id: 'model-alias',
    title: 'an alias is resolved to a model',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: 'haiku' });
      assert.match(bodyOf(api.requests[0]).model, /^claude-haiku-/);
    },
  },
  {
    id: 'fallback-model',
    title: 'fallbackModel answers when the model is overloaded',
    script: (request) =>
      request.body.model === SONNET
        ? fail(529, 'overloaded_error', 'Overloaded', { 'retry-after-ms': '1' })
        : 'From the other.',
    async run({ resultOf }) {
      const result = await resultOf('hi', { model: SONNET, fallbackModel: HAIKU });
      assert.equal(result.result, 'From the other.');
    },
  },
  {
    id: 'system-prompt-text',
    title: 'a string replaces the system prompt',
    script: ['Hello.'],
    async run(rig) {
      assert.match(await systemOf(rig, { systemPrompt: 'You are a pirate.' }), /You are a pirate\./);
    },
  },
  {
    id: 'system-prompt-list',
    title: 'a list of strings is the system prompt, too',
    only: '0.3.325',
    script: ['Hello.'],
    async run(rig) {
      const system = await systemOf(rig, { systemPrompt: ['You are a pirate.', 'You are polite.'] });
      assert.match(system, /You are a pirate\.[\s\S]*You are polite\./);
    },
  },
  {
    id: 'system-prompt-preset',
    title: 'the preset is a longer prompt than none',
    script: () => 'Hello.',
    async run(rig) {
      const none = await systemOf(rig, {});
      const preset = await systemOf(rig, { systemPrompt: { type: 'preset', preset: 'claude_code' } });
      assert(preset.length > none.length + 500, `${preset.length} characters against ${none.length}`);
    },
  },
  {
    id: 'system-prompt-append',
    title: 'append is added to the preset',
    script: ['Hello.'],
    async run(rig) {
      const append = 'Always rhyme.';
      const system = await systemOf(rig, { systemPrompt: { type: 'preset', preset: 'claude_code', append } });
      assert(system.includes(append) && system.length > 500);
    },
  },
  {
    id: 'thinking-budget',
    title: 'thinking with a budget reaches the request',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: SONNET, thinking: { type: 'enabled', budgetTokens: 4000 } });
      assert.deepEqual(bodyOf(api.requests[0]).thinking, { type: 'enabled', budget_tokens: 4000 });
    },
  },
  {
    id: 'thinking-disabled',
    title: 'thinking can be switched off',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: SONNET, thinking: { type: 'disabled' } });
      const { thinking } = bodyOf(api.requests[0]) as { thinking?: { type: string } };
      assert(thinking === undefined || thinking.type === 'disabled');
    },
  },
  {
    id: 'max-thinking-tokens',
    title: 'maxThinkingTokens is the budget',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: SONNET, maxThinkingTokens: 3000 });
      assert.deepEqual(bodyOf(api.requests[0]).thinking, { type: 'enabled', budget_tokens: 3000 });
    },
  },
  {
    id: 'effort',
    title: 'effort reaches the request of a model that has it',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { model: 'claude-opus-4-6', effort: 'low' });
      assert.equal((bodyOf(api.requests[0]).output_config as { effort: string }).effort, 'low');
    },
  },
  {
    id: 'betas',
    title: 'betas are in the header',
    script: ['Hello.'],
    async run({ ask, api }) {
      await ask('hi', { betas: ['context-1m-2025-08-07'] });
      assert.match(String(api.requests[0]?.headers['anthropic-beta']), /context-1m-2025-08-07/);
    },
  },
  {
    id: 'structured-output',
    title: 'outputFormat puts the valid answer into structured_output',
    script: [toolUse('StructuredOutput', { capital: 'Paris' }), 'Done.'],
    async run({ resultOf }) {
      const result = await resultOf('capital of France?', { outputFormat: { type: 'json_schema', schema } });
      assert.equal(result.subtype, 'success');
      assert.deepEqual(result.structured_output, { capital: 'Paris' });
    },
  },
  {
    id: 'structured-output-retry',
    title: 'an answer that does not fit the schema is asked for again',
    script: [
      toolUse('StructuredOutput', { city: 'Paris' }),
      toolUse('StructuredOutput', { capital: 'Paris' }),
      'Done.',
    ],
    async run({ resultOf }) {
      const result = await resultOf('capital of France?', { outputFormat: { type: 'json_schema', schema } });
      assert.deepEqual(result.structured_output, { capital: 'Paris' });
    },
  },
  {
    id: 'structured-output-never',
    title: 'a model that never fits the schema ends in error_max_structured_output_retries',
    script: () => toolUse('StructuredOutput', { city: 'Paris' }),
    async run({ resultOf }) {
      const result = await resultOf('capital of France?', { outputFormat: { type: 'json_schema', schema } });
      assert.equal(result.subtype, 'error_max_structured_output_retries');
      assert.equal(result.is_error, true);
    },
  },
];

/** The system prompt that the model gets with these options. */
async function systemOf({ ask, api }: Rig, options: Parameters<Rig['ask']>[1]): Promise<string> {
  await ask('hi', options);
  const { system = [] } = bodyOf(api.requests.at(-1));
  return system.map(({ text }) => text ?? '').join('\n');
}
