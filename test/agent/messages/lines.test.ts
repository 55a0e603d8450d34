import { expect, test } from 'vitest';
import {
  assistantLine,
  errorLine,
  streamEventLine,
  toolResultLine,
  userTextLine,
} from '../../../src/agent/messages/lines.ts';
import { encodeLine } from '../../../src/wire/link/jsonl.ts';
import { parseMessage } from '../../../src/wire/messages/index.ts';
import { createRig, SESSION } from '../support.ts';

const { turn } = createRig([]);
const inside = { ...turn, parentToolUseId: 'toolu_parent' };

const made = {
  assistant: assistantLine(
    turn,
    { id: 'm', model: 'x', usage: { input_tokens: 1, output_tokens: 1 } },
    { type: 'text', text: 'a' },
  ),
  error: errorLine(turn, 'server_error', 'oops'),
  result: toolResultLine(turn, { type: 'tool_result', tool_use_id: 't', content: 'x' }, { any: 1 }),
  text: userTextLine(turn, 'hello'),
};

test.each(Object.entries(made))(
  '[FLD-01] the %s line has a uuid, its session, and the shape of the wire',
  (_name, line) => {
    expect(line.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(line.session_id).toBe(SESSION);
    expect(parseMessage(line)).toMatchObject({ ok: true });
  },
);

test('[FLD-11] lines of a subagent name the call that started it', () => {
  expect(made.text.parent_tool_use_id).toBeNull();
  expect(userTextLine(inside, 'x').parent_tool_use_id).toBe('toolu_parent');
  expect(toolResultLine(inside, { type: 'tool_result', tool_use_id: 't' }, null).parent_tool_use_id).toBe(
    'toolu_parent',
  );
});

test('[FLD-39] a stream event is written from its own text, and reads as the same line', () => {
  for (const owner of [turn, inside]) {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a"\u2028\n' } };
    const line = streamEventLine(owner, 'U1', event, JSON.stringify(event));
    expect(JSON.parse(encodeLine(line))).toEqual({ ...line });
    expect(Object.keys(line)).toEqual(['type', 'event', 'session_id', 'parent_tool_use_id', 'uuid']);
  }
});
