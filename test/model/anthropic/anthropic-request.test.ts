import { describe, expect, it } from 'vitest';
import { createRequestEncoder } from '../../../src/model/anthropic/anthropic-request.ts';
import type { ApiMessage, ModelRequest } from '../../../src/model/model.ts';

const MARK = { type: 'ephemeral' };
const base: ModelRequest = {
  model: 'claude-sonnet-4-5-20250929',
  system: ['First.', 'Second.'],
  tools: [
    { name: 'Read', description: 'Reads.', input_schema: { type: 'object' } },
    { name: 'Bash', description: 'Runs.', input_schema: { type: 'object' } },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxOutputTokens: 32000,
};

function bodyOf(request: Partial<ModelRequest>) {
  return JSON.parse(createRequestEncoder()({ ...base, ...request }));
}

describe('createRequestEncoder', () => {
  it('[LOOP-03] [P9] writes a streaming request with marks on the last tool and system block, and nothing else', () => {
    expect(bodyOf({})).toEqual({
      model: 'claude-sonnet-4-5-20250929',
      max_tokens: 32000,
      stream: true,
      temperature: 1,
      system: [
        { type: 'text', text: 'First.' },
        { type: 'text', text: 'Second.', cache_control: MARK },
      ],
      tools: [
        { name: 'Read', description: 'Reads.', input_schema: { type: 'object' } },
        { name: 'Bash', description: 'Runs.', input_schema: { type: 'object' }, cache_control: MARK },
      ],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: MARK }] }],
    });
  });

  it('[B-073] marks the end of what all sessions share of the system prompt, where that was said', () => {
    const system = ['Rules.', '', 'More rules.', 'Of this session.'];
    const marks = (sharedBlocks: number) =>
      bodyOf({ system, sharedBlocks }).system.map(({ cache_control }: { cache_control?: object }) => cache_control);
    expect(marks(3)).toEqual([undefined, MARK, undefined]);
    expect(marks(2)).toEqual([MARK, undefined, undefined]);
    expect(marks(0)).toEqual([undefined, undefined, undefined]);
  });

  it('leaves out what is empty', () => {
    expect(Object.keys(bodyOf({ system: [''], tools: [] }))).toEqual([
      'model',
      'max_tokens',
      'stream',
      'temperature',
      'messages',
    ]);
  });

  it.each([
    [{ thinking: { type: 'enabled', budget_tokens: 4000 } }, { thinking: { type: 'enabled', budget_tokens: 4000 } }],
    [{ thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, { thinking: { type: 'adaptive', display: 'omitted' } }],
    [{ effort: 'high' }, { output_config: { effort: 'high' } }],
    [{ userId: 'u1' }, { metadata: { user_id: 'u1' } }],
  ] as [Partial<ModelRequest>, object][])('[OPT-37] [OPT-36] [K9] sends %j as %j', (request, fields) => {
    expect(bodyOf(request)).toMatchObject(fields);
  });

  it('sends no temperature beside thinking', () => {
    expect(bodyOf({ thinking: { type: 'enabled', budget_tokens: 4000 } })).not.toHaveProperty('temperature');
    expect(bodyOf({ thinking: { type: 'disabled' } })).toHaveProperty('temperature', 1);
  });

  it('[OPT-37] says nothing of thinking when it is disabled', () => {
    expect(bodyOf({ thinking: { type: 'disabled' } })).not.toHaveProperty('thinking');
  });

  it('marks the last block of the last two messages, but no thought and no empty text', () => {
    const body = bodyOf({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'one' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't', name: 'Bash', input: {} },
            { type: 'thinking', thinking: 'hm', signature: 's' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'ok' },
            { type: 'text', text: '' },
          ],
        },
      ],
    });
    const marks = body.messages.map(({ content }: { content: object[] }) =>
      content.map((block) => 'cache_control' in block),
    );
    expect(marks).toEqual([[false], [true, false], [true, false]]);
  });

  it('[LOOP-20] sends thoughts back as they came', () => {
    const thought = { type: 'thinking' as const, thinking: 'hm', signature: 'c2ln' };
    expect(bodyOf({ messages: [{ role: 'assistant', content: [thought] }] }).messages[0].content).toEqual([thought]);
  });

  it('[M-15] keeps thoughts of another provider back, and makes its ids valid', () => {
    const thought = { type: 'thinking' as const, thinking: 'hm', signature: '', provider: 'openai' };
    const [assistant, user] = bodyOf({
      messages: [
        {
          role: 'assistant',
          content: [thought, { type: 'tool_use', id: 'functions.Bash:0', name: 'Bash', input: {} }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.Bash:0', content: 'ok' }] },
      ],
    }).messages;
    expect(assistant.content).toMatchObject([{ type: 'tool_use', id: 'functions_Bash_0' }]);
    expect(user.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'functions_Bash_0' }]);
  });

  it('[M-15] drops marks that came with a message, so that there are never more than four', () => {
    const block = { type: 'text' as const, text: 'x', cache_control: { type: 'ephemeral' as const } };
    const body = JSON.stringify(
      bodyOf({ messages: Array.from({ length: 9 }, () => ({ role: 'user', content: [block, block] })) }),
    );
    expect(body.match(/"cache_control"/g)?.length).toBe(4);
  });

  it('[M-15] replaces halves of surrogate pairs, and only those', () => {
    const text = 'a\ud83d b\udc00 \\ud83d 👍 \\\ud83d';
    expect(
      bodyOf({ messages: [{ role: 'user', content: [{ type: 'text', text }] }] }).messages[0].content[0].text,
    ).toBe('a\ufffd b\ufffd \\ud83d 👍 \\\ufffd');
    expect(bodyOf({ system: ['x\ud83d'] }).system[0].text).toBe('x\ufffd');
  });

  it('makes every body a prefix of the next, apart from cache marks', () => {
    const encode = createRequestEncoder();
    const messages: ApiMessage[] = [];
    let previous = '';
    for (let turn = 0; turn < 20; turn++) {
      messages.push({ role: turn % 2 ? 'assistant' : 'user', content: [{ type: 'text', text: `turn ${turn}` }] });
      const body = encode({ ...base, messages }).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
      expect(body.startsWith(previous)).toBe(true);
      previous = body.slice(0, -2);
    }
  });

  it('serialises each message, the tools and the system prompt once', () => {
    const encode = createRequestEncoder();
    let reads = 0;
    const counted = (text: string): ApiMessage => ({
      role: 'user',
      get content() {
        reads++;
        return [{ type: 'text' as const, text }];
      },
    });
    const messages: ApiMessage[] = [];
    for (let turn = 0; turn < 10; turn++) {
      messages.push(counted(`turn ${turn}`));
      encode({ ...base, messages });
    }
    expect(reads).toBe(10);
  });
});
