import { describe, expect, test } from 'vitest';
import {
  newerHalf,
  summaryMessage,
  summaryOf,
  summaryRequest,
  trimmed,
} from '../../../src/agent/compaction/summary.ts';
import type { ApiMessage } from '../../../src/model/model.ts';
import type { ContentBlock } from '../../../src/wire/api/content.ts';
import { faultsOf } from '../support.ts';

const user = (...content: ContentBlock[]): ApiMessage => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): ApiMessage => ({ role: 'assistant', content });
const say = (text: string): ContentBlock => ({ type: 'text', text });
const call = (id: string, input = {}): ContentBlock => ({ type: 'tool_use', id, name: 'Read', input });
const result = (id: string, content: string | ContentBlock[]): ContentBlock => {
  return { type: 'tool_result', tool_use_id: id, content };
};
const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

describe('the question for a summary', () => {
  test('ends with what the user wants to be kept, if anything', () => {
    expect(summaryRequest('  the port number ')).toMatch(/The user adds: the port number$/);
    expect(summaryRequest(' \n')).not.toContain('The user adds');
  });
});

describe('what the model wrote', () => {
  test.each([
    ['between the tags', 'Well: <summary>\nAll of it.\n</summary> Bye.', 'All of it.'],
    ['without the tags', ' All of it. ', 'All of it.'],
    ['cut off before the end', '<summary>Half of', 'Half of'],
    ['nothing', '<summary> </summary>', ''],
  ])('%s', (_, answer, expected) => {
    expect(summaryOf(answer)).toBe(expected);
  });
});

describe('[LOOP-02] the message from which a conversation goes on', () => {
  test('holds the summary, and word for word the last answer and what came after it', () => {
    const text = summaryMessage('They met.', [
      user(say('an old prompt')),
      assistant(say('I look.'), call('t1', { file_path: '/a.txt' })),
      user(result('t1', 'line 1'), image),
    ]);
    expect(text).toContain('They met.');
    expect(text).toContain('assistant: I look.\n[call of Read: {"file_path":"/a.txt"}]');
    expect(text).toContain('user: [result: line 1]\n[image]');
    expect(text).not.toContain('an old prompt');
  });

  test('holds a prompt that nobody has answered yet', () => {
    expect(summaryMessage('They met.', [user(say('hi')), assistant(say('Hello.')), user(say('go on'))])).toContain(
      'assistant: Hello.\n\nuser: go on',
    );
    expect(summaryMessage('They met.', [user(say('the first'))])).toContain('user: the first');
  });

  test('repeats no reminder of the runtime', () => {
    const messages = [user(say('hi'), say('<system-reminder>\nDate: 2026-01-01\n</system-reminder>'))];
    expect(summaryMessage('They met.', messages)).not.toContain('2026-01-01');
  });

  test('holds no more than the end of a last exchange that is very long', () => {
    const text = summaryMessage('They met.', [user(say(`${'x'.repeat(100_000)}the end`))]);
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('xthe end');
  });
});

describe('[M-13] a conversation that did not fit', () => {
  const heavy = [
    user(say('look'), image),
    assistant({ type: 'thinking', thinking: 'Hm.', signature: 's' }, call('t1')),
    user(result('t1', 'r'.repeat(9000))),
    assistant(call('t2')),
    user(result('t2', [say('short'), image])),
  ];

  test('goes without images, thoughts and long results, and is still one that the API takes', () => {
    const light = trimmed(heavy);
    const json = JSON.stringify(light);
    expect(json).not.toContain('AAAA');
    expect(json).not.toContain('Hm.');
    expect(json.length).toBeLessThan(3000);
    expect(json).toContain('short\\n[image]');
    expect(faultsOf(light)).toEqual([]);
  });

  test('is left alone otherwise', () => {
    const plain = [user(say('hi')), assistant(say('Hello.'), call('t1')), user(result('t1', 'fine'))];
    expect(trimmed(plain)).toEqual(plain);
  });

  test('is halved at a user message; results without their calls become texts', () => {
    const half = newerHalf(heavy);
    expect(half).toHaveLength(1);
    expect(half[0]?.content).toEqual([say('[result: short\n[image]]')]);
    const talk = [user(say('1')), assistant(say('a')), user(say('2')), assistant(call('t1')), user(result('t1', 'r'))];
    expect(newerHalf(talk)).toEqual([user(say('[result: r]'))]);
    expect(newerHalf([...talk, assistant(say('b'))])).toEqual([user(say('[result: r]')), assistant(say('b'))]);
  });

  test('has no half when there is one message', () => {
    expect(newerHalf([user(say('hi'))])).toEqual([]);
    expect(newerHalf([])).toEqual([]);
  });
});
