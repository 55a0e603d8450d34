import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { SDKUserMessage } from '../../../src/sdk/index.ts';
import { text, thinking } from '../../../src/testing/index.ts';
import { Channel } from '../../../src/util/channel.ts';
import { kindOf, type Line } from '../../support/lines.ts';
import { bodyOf, conversationText } from '../../support/requests.ts';
import type { InteropCase } from '../case.ts';
import { bash, next, nextResult, resultsOf, user } from '../talk.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

async function* once(...messages: SDKUserMessage[]): AsyncGenerator<SDKUserMessage> {
  yield* messages;
}

export const promptCases: InteropCase[] = [
  {
    id: 'prompt-string',
    title: 'a string prompt gives init, the answer and a result, all of one session',
    script: ['Hello.'],
    async run({ ask }) {
      const lines = await ask('hi');
      assert.deepEqual(lines.map(kindOf), ['system/init', 'assistant', 'result/success']);
      assert.equal(lines.at(-1)?.result, 'Hello.');
      assert.equal(new Set(lines.map((line) => line.session_id)).size, 1);
    },
  },
  {
    id: 'prompt-stream',
    title: 'an iterable that ends at once is answered, and the run ends',
    script: ['Hello.'],
    async run({ ask, api }) {
      const lines = await ask(once(user('from a stream')));
      assert.equal(lines.at(-1)?.result, 'Hello.');
      assert.match(conversationText(api.requests[0]), /from a stream/);
    },
  },
  {
    id: 'prompt-stream-of-several',
    title: 'every message of an iterable is answered',
    script: () => 'Answered.',
    async run({ ask, api }) {
      const lines = await ask(once(user('first'), user('second')));
      assert(resultsOf(lines).length >= 1);
      assert.match(conversationText(api.requests.at(-1)), /first[\s\S]*second/);
    },
  },
  {
    id: 'prompt-multi-turn',
    title: 'a host that waits for each result before the next message keeps its session',
    script: ['One.', 'Two.', 'Three.'],
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      const sessions = new Set<unknown>();
      for (const [prompt, answer] of Object.entries({ a: 'One.', b: 'Two.', c: 'Three.' })) {
        input.push(user(prompt));
        const result = await nextResult(run);
        assert.equal(result.result, answer);
        sessions.add(result.session_id);
      }
      input.end();
      assert.equal((await run.next()).done, true);
      assert.equal(sessions.size, 1);
      assert.match(conversationText(api.requests[2]), /a[\s\S]*One[\s\S]*b[\s\S]*Two[\s\S]*c/);
    },
  },
  {
    id: 'prompt-stream-input',
    title: 'streamInput() adds messages to a run',
    script: ['One.', 'Two.'],
    async run({ start }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input);
      input.push(user('first'));
      assert.equal((await nextResult(run)).result, 'One.');
      await run.streamInput(once(user('second')));
      assert.equal((await nextResult(run)).result, 'Two.');
      input.end();
    },
  },
  {
    id: 'prompt-during-tool',
    title: 'a message that arrives while a tool runs reaches the model in the same turn',
    script: [bash('sleep 0.5'), 'Seen.', 'This was another turn.'],
    async run({ start, api }) {
      const input = new Channel<SDKUserMessage>();
      const run = start(input, { allowedTools: ['Bash'] });
      input.push(user('first'));
      await next(run, ({ type }) => type === 'assistant');
      input.push(user('by the way'));
      assert.equal((await nextResult(run)).result, 'Seen.');
      input.end();
      assert.match(conversationText(api.requests[1]), /by the way/);
    },
  },
  {
    id: 'prompt-image',
    title: 'content blocks reach the model as they are',
    script: ['A pixel.'],
    async run({ ask, api }) {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
      await ask(once(user([{ type: 'text', text: 'What is it?' }, image])));
      const blocks = bodyOf(api.requests[0]).messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      assert(blocks.some((block) => block.type === 'image'));
    },
  },
  {
    id: 'prompt-replay',
    title: 'replay-user-messages echoes the prompt with its uuid',
    script: ['Hello.'],
    async run({ ask }) {
      const uuid = randomUUID();
      const lines = await ask(once(user('hi', { uuid })), { extraArgs: { 'replay-user-messages': null } });
      const echo = lines.find(({ isReplay }) => isReplay === true);
      assert.equal(echo?.uuid, uuid);
    },
  },
  {
    id: 'partial-messages',
    title: 'includePartialMessages adds the events of the model, in order',
    script: [[text('Hel', 'lo')]],
    async run({ ask }) {
      const lines = await ask('hi', { includePartialMessages: true });
      const events = lines.filter(({ type }) => type === 'stream_event').map(kindOf);
      assert.deepEqual(events, [
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ]);
      assert.deepEqual(lines.filter(({ type }) => type !== 'stream_event').map(kindOf), [
        'system/init',
        'system/status', // the request goes out
        'assistant',
        'result/success',
      ]);
    },
  },
  {
    id: 'message-blocks',
    title: 'thinking and text arrive as assistant messages of one model message',
    script: [[thinking('Hm.'), text('Well.')]],
    async run({ ask }) {
      const answers = (await ask('hi')).filter(({ type }) => type === 'assistant');
      assert.deepEqual(answers.map(blockTypes), [['thinking'], ['text']]);
      assert.equal(new Set(answers.map(({ message }) => message?.id)).size, 1);
    },
  },
  {
    id: 'result-accounting',
    title: 'the result counts turns, tokens, time and money',
    script: [bash('echo hi'), 'Done.'],
    async run({ resultOf }) {
      const result = await resultOf('go', { allowedTools: ['Bash'], model: 'claude-sonnet-4-5-20250929' });
      assert.equal(result.num_turns, 2);
      assert((result.total_cost_usd as number) > 0);
      assert((result.duration_ms as number) >= 0 && (result.duration_api_ms as number) >= 0);
      assert.equal((result.usage as { output_tokens: number }).output_tokens, 14);
      const [usage] = Object.values(result.modelUsage as Record<string, Record<string, number>>);
      assert.equal(usage?.outputTokens, 14);
      assert.deepEqual(result.permission_denials, []);
    },
  },
];

function blockTypes(line: Line): string[] {
  const content = line.message?.content ?? [];
  return typeof content === 'string' ? ['text'] : content.map(({ type }) => type);
}
