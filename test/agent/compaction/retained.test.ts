import { describe, expect, test } from 'vitest';
import { retainedOf } from '../../../src/agent/compaction/retained.ts';
import type { ApiMessage } from '../../../src/model/model.ts';
import type { ContentBlock } from '../../../src/wire/api/content.ts';
import { createRig } from '../support.ts';

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string, content: string): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content });
const user = (...content: ContentBlock[]): ApiMessage => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): ApiMessage => ({ role: 'assistant', content });

function kept(messages: ApiMessage[], asked: ContentBlock[], window = 200_000) {
  const { turn } = createRig([]);
  const conversation = { ...turn.conversation, messages, window: { ...turn.conversation.window, window } };
  return retainedOf({ conversation, asked });
}

describe('what a compaction keeps word for word', () => {
  const past = [user(text('first')), assistant(text('answer'))];

  test('a question that nobody has answered, which the summary does not tell of', () => {
    const asked = [text('second')];
    expect(kept([...past, user(...asked)], asked)).toEqual({ asked, round: [], earlier: past });
  });

  test('nothing more when the last word was an answer', () => {
    const asked = [text('first')];
    expect(kept(past, asked)).toEqual({ asked, round: [], earlier: past });
  });

  test('the open round of calls, whole', () => {
    const asked = [text('second')];
    const round = [assistant(call('t1'), call('t2')), user(result('t1', 'one'), result('t2', 'two'))];
    const messages = [...past, user(...asked), ...round];
    expect(kept(messages, asked)).toEqual({ asked, round, earlier: [...past, user(...asked)] });
  });

  test('what joined the open round is kept with it, not twice', () => {
    const [asked, joined] = [text('second'), text('and this')];
    const round = [assistant(call('t1')), user(result('t1', 'one'), joined)];
    expect(kept([...past, user(asked), ...round], [asked, joined])).toMatchObject({ asked: [asked], round });
    // The same words, said on their own, are no part of the round.
    expect(kept([...past, user(asked), ...round], [asked, text('and this')]).asked).toHaveLength(2);
  });

  test('a round that takes more than a quarter of the window loses its long results, not its calls', () => {
    const round = [assistant(call('t1')), user(result('t1', 'x'.repeat(40_000)))];
    const messages = [...past, user(text('second')), ...round];
    expect(kept(messages, [], 100_000).round).toEqual(round);
    const { round: cut, earlier } = kept(messages, [], 20_000);
    expect(cut).toMatchObject([round[0], { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] }]);
    expect(JSON.stringify(cut).length).toBeLessThan(5000);
    expect(earlier).toHaveLength(3);
  });

  test('results without the calls before them are no round', () => {
    const messages = [user(result('t1', 'one'))];
    expect(kept(messages, [])).toEqual({ asked: [], round: [], earlier: [] });
    expect(kept([], [])).toEqual({ asked: [], round: [], earlier: [] });
  });
});
