import { describe, expect, test } from 'vitest';
import { FailedResultError, type SDKMessage } from '../../src/sdk/index.ts';
import { textsOf } from '../../src/sdk/text-stream.ts';
import { RESULT } from '../support/scripted-agent.ts';

async function* each(...messages: object[]): AsyncGenerator<SDKMessage> {
  for (const message of messages) yield message as SDKMessage;
}

async function read(...messages: object[]): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of textsOf(each(...messages))) texts.push(text);
  return texts;
}

const event = (fields: object, parent: string | null = null) => ({
  type: 'stream_event',
  event: fields,
  parent_tool_use_id: parent,
});
const start = (id: string, parent?: string) => event({ type: 'message_start', message: { id } }, parent);
const block = (index: number) => event({ type: 'content_block_start', index, content_block: { type: 'text' } });
const delta = (text: string, parent?: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent);
const thought = event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } });
const whole = (id: string, text: string, fields: object = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, content: [{ type: 'text', text }] },
  ...fields,
});
const done = { ...RESULT, result: 'the end' };

describe('the text of an answer', () => {
  test('[USE-02] comes in the pieces of the model, and its whole block is no news', async () => {
    const messages = [start('a'), block(0), delta('one '), delta('two'), whole('a', 'one two'), done];
    expect(await read(...messages)).toEqual(['one ', 'two']);
  });

  test('comes block by block from an agent that sends no pieces', async () => {
    expect(await read(whole('a', 'one'), whole('b', 'two'), done)).toEqual(['one', '\n\ntwo']);
  });

  test('has a blank line between two blocks, and between two turns', async () => {
    const messages = [start('a'), block(0), delta('one'), block(1), delta('two'), whole('a', 'one'), whole('a', 'two')];
    expect(await read(...messages, done, start('b'), block(0), delta('three'), done)).toEqual([
      'one',
      '\n\ntwo',
      '\n\nthree',
    ]);
  });

  test('is taken whole where its beginning was not seen', async () => {
    expect(await read(delta('wo'), whole('a', 'one two'), done)).toEqual(['one two']);
  });

  test('leaves out thoughts, what agents say, and the text of an error', async () => {
    const messages = [
      start('a'),
      thought,
      start('x', 'call'),
      delta('of an agent', 'call'),
      whole('x', 'of an agent', { parent_tool_use_id: 'call' }),
      whole('e', 'API Error: 500', { error: 'server_error' }),
      block(0),
      delta('mine'),
    ];
    expect(await read(...messages, done)).toEqual(['mine']);
  });

  test('of a local command is that of its result', async () => {
    expect(await read({ ...done, result: '3 tokens' }, { ...done, result: '' })).toEqual(['3 tokens']);
  });

  test.each([
    ['an error in the place of an answer', { ...RESULT, is_error: true, result: 'API Error: 401' }],
    ['an interrupt', { ...RESULT, subtype: 'error_during_execution', is_error: true, errors: ['interrupted'] }],
  ])('%s is thrown, behind what was said before', async (_what, result) => {
    const texts: string[] = [];
    const reading = async () => {
      for await (const text of textsOf(each(start('a'), delta('so far'), result))) texts.push(text);
    };
    await expect(reading()).rejects.toBeInstanceOf(FailedResultError);
    expect(texts).toEqual(['so far']);
  });
});
