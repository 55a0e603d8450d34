import { describe, expect, it } from 'vitest';
import type { ApiMessage, ModelRequest } from '../../../src/model/model.ts';
import {
  adaptForm,
  COMMON_FORM,
  createChatRequestEncoder,
  type RequestForm,
} from '../../../src/model/openai/openai-request.ts';
import type { ContentBlock } from '../../../src/wire/api/content.ts';

const base: ModelRequest = {
  model: 'openai/qwen3:8b',
  system: ['First.', '', 'Second.'],
  tools: [
    {
      name: 'Read',
      description: 'Reads.',
      input_schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required: ['path'] },
    },
  ],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  maxOutputTokens: 8000,
};

function bodyOf(request: Partial<ModelRequest>, form: Partial<RequestForm> = {}) {
  return JSON.parse(createChatRequestEncoder('openai')({ ...base, ...request }, { ...COMMON_FORM, ...form }));
}

/** The messages after the system prompt. */
function messagesOf(messages: ApiMessage[], form: Partial<RequestForm> = {}) {
  return bodyOf({ system: [], messages }, form).messages;
}

const user = (...content: ContentBlock[]): ApiMessage => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): ApiMessage => ({ role: 'assistant', content });
const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const png: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const call = (id: string, input = {}): ContentBlock => ({ type: 'tool_use', id, name: 'Bash', input });

describe('createChatRequestEncoder', () => {
  it('[P9] writes a streaming request for the model without our prefix, and nothing else', () => {
    expect(bodyOf({})).toEqual({
      model: 'qwen3:8b',
      max_tokens: 8000,
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        {
          type: 'function',
          function: {
            name: 'Read',
            description: 'Reads.',
            parameters: { type: 'object', properties: {}, required: ['path'] },
          },
        },
      ],
      messages: [
        { role: 'system', content: 'First.\n\nSecond.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('leaves out what is empty, and what belongs to another provider', () => {
    const request = { system: [''], tools: [], betas: ['x'], userId: 'u', thinking: { type: 'adaptive' as const } };
    expect(Object.keys(bodyOf(request))).toEqual(['model', 'max_tokens', 'stream', 'stream_options', 'messages']);
  });

  it('takes names with slashes', () => {
    expect(bodyOf({ model: 'openai/moonshotai/kimi-k2' }).model).toBe('moonshotai/kimi-k2');
  });

  it('[K9] sends the effort', () => {
    expect(bodyOf({ effort: 'high' }).reasoning_effort).toBe('high');
  });

  it('sends texts as plain text, images as parts', () => {
    expect(messagesOf([user(text('one'), text(''), text('two')), user(text('see'), png)])).toEqual([
      { role: 'user', content: 'one\n\ntwo' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
    const byUrl: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    expect(messagesOf([user(byUrl)])[0].content).toEqual([
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]);
  });

  it('names what it cannot send', () => {
    const [message] = messagesOf([
      user(
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' }, title: 'a.pdf' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 'b.txt' },
        { type: 'image', source: { type: 'file', file_id: 'f' } },
      ),
    ]);
    expect(message.content).toMatch(/^a\.pdf:\n\[A document that cannot.*\n\nb\.txt:\nwords\n\n\[An image that cannot/);
  });

  it('sends calls beside the text, and their results after them, before anything else', () => {
    expect(
      messagesOf([
        assistant(text('Let me look.'), call('t1', { command: 'ls' }), call('t2')),
        user(
          text('and then?'),
          { type: 'tool_result', tool_use_id: 't1', content: 'a\nb' },
          { type: 'tool_result', tool_use_id: 't2', content: [text('no such'), text('file')], is_error: true },
        ),
      ]),
    ).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } },
          { id: 't2', type: 'function', function: { name: 'Bash', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 't1', content: 'a\nb' },
      { role: 'tool', tool_call_id: 't2', content: 'The tool call failed:\nno such\nfile' },
      { role: 'user', content: 'and then?' },
    ]);
  });

  it('sends images of results in a user message after them', () => {
    const messages = messagesOf([
      assistant(call('t1'), call('t2')),
      user(
        { type: 'tool_result', tool_use_id: 't1', content: [text('a picture'), png] },
        { type: 'tool_result', tool_use_id: 't2' },
      ),
    ]);
    expect(messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 't1', content: 'a picture\n[An image: see the next user message.]' },
      { role: 'tool', tool_call_id: 't2', content: '(no output)' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of tool call t1:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  it('[M-15] keeps ids within the limit, the same for a call and its result', () => {
    const id = `toolu_${crypto.randomUUID()}`;
    const [asked, answered] = messagesOf([
      assistant(call(id)),
      user({ type: 'tool_result', tool_use_id: id, content: 'ok' }),
    ]);
    expect(asked.tool_calls[0].id.length).toBe(40);
    expect(answered.tool_call_id).toBe(asked.tool_calls[0].id);
  });

  it('[M-15] replaces halves of surrogate pairs, also inside of arguments', () => {
    const [asked, said] = messagesOf([assistant(call('t', { command: 'a\ud83d' })), user(text('b\udc00 👍'))]);
    expect(JSON.parse(asked.tool_calls[0].function.arguments)).toEqual({ command: 'a\ufffd' });
    expect(said.content).toBe('b\ufffd 👍');
  });

  it('makes every body a prefix of the next', () => {
    const encode = createChatRequestEncoder('openai');
    const messages: ApiMessage[] = [];
    let previous = '';
    for (let turn = 0; turn < 10; turn++) {
      messages.push(user(text(`turn ${turn}`)), assistant({ type: 'thinking', thinking: 'hm' }, call(`t${turn}`)));
      messages.push(user({ type: 'tool_result', tool_use_id: `t${turn}`, content: [png] }));
      const body = encode({ ...base, messages }, COMMON_FORM);
      expect(body.startsWith(previous)).toBe(true);
      previous = body.slice(0, -2);
    }
  });

  it('serialises each message, the tools and the system prompt once', () => {
    const encode = createChatRequestEncoder('openai');
    let reads = 0;
    const messages: ApiMessage[] = [];
    for (let turn = 0; turn < 10; turn++) {
      messages.push({
        role: 'user',
        get content() {
          reads++;
          return [text(`turn ${turn}`)];
        },
      });
      encode({ ...base, messages }, COMMON_FORM);
    }
    expect(reads).toBe(10);
  });
});

describe('thoughts', () => {
  const own = { type: 'thinking', thinking: 'mine', signature: '', provider: 'openai' } as ContentBlock;
  const foreign: ContentBlock = { type: 'thinking', thinking: 'theirs', signature: 'c2ln' };

  it('are not sent', () => {
    expect(messagesOf([assistant(own, foreign, text('Hi'))])).toEqual([{ role: 'assistant', content: 'Hi' }]);
    expect(messagesOf([assistant(own)])).toEqual([]);
  });

  it('go back to servers that want their own, and only those', () => {
    const messages = messagesOf([assistant(foreign, own, text('Hi')), assistant(foreign, call('t'))], {
      sendsThoughts: true,
    });
    expect(messages).toMatchObject([
      { content: 'Hi', reasoning_content: 'mine' },
      { content: null, reasoning_content: ' ', tool_calls: [{ id: 't' }] },
    ]);
    expect(JSON.stringify(messages)).not.toContain('theirs');
  });
});

describe('adaptForm', () => {
  const refusal = (message: string, status = 400) => ({ class: 'invalid_request' as const, message, status });

  it.each<[string, Partial<RequestForm>]>([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { limitField: 'max_completion_tokens' },
    ],
    ['stream_options: Extra inputs are not permitted', { asksForUsage: false }],
    [
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      { sendsThoughts: true },
    ],
    ['Missing `reasoning_content` field in the assistant message at message index 2.', { sendsThoughts: true }],
  ])('does what a server asks for: %s', (message, change) => {
    const adapted = adaptForm(COMMON_FORM, refusal(message));
    expect(adapted).toEqual({ ...COMMON_FORM, ...change });
    expect(adaptForm({ ...COMMON_FORM, ...change }, refusal(message))).toBeNull();
  });

  it('passes other refusals on', () => {
    expect(adaptForm(COMMON_FORM, refusal('messages: wrong'))).toBeNull();
    expect(adaptForm(COMMON_FORM, refusal('max_completion_tokens', 500))).toBeNull();
  });
});
