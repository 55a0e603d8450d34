import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { MessageParseError } from '../../../src/wire/errors.ts';
import { messageSchemas, parseMessage, UserInput } from '../../../src/wire/messages/index.ts';
import { recordedLines } from '../recordings.ts';

const isControl = ({ type }: JsonObject) => String(type).startsWith('control_');
const printed = recordedLines('stdout').filter(({ line }) => !isControl(line));

const assistant = {
  type: 'assistant',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  parent_tool_use_id: null,
  session_id: 's',
  uuid: 'u',
};

function refusal(value: unknown): string {
  const parsed = parseMessage(value);
  if (parsed.ok) throw new Error(`accepted ${JSON.stringify(value)}`);
  expect(parsed.error).toBeInstanceOf(MessageParseError);
  return parsed.error.message;
}

function withContent(...content: unknown[]) {
  return { ...assistant, message: { ...assistant.message, content } };
}

describe('recorded lines', () => {
  test('there are recordings of both versions', () => {
    expect(printed.filter(({ name }) => name.includes('2.1.44')).length).toBeGreaterThan(50);
    expect(printed.filter(({ name }) => name.includes('2.1.325')).length).toBeGreaterThan(50);
  });

  test('[FWD-02] [FWD-04] every printed line parses and comes back with all its fields', () => {
    for (const { name, line } of printed) {
      const before = structuredClone(line);
      const parsed = parseMessage(line);
      expect(parsed, name).toEqual({ ok: true, message: before });
    }
  });

  test('the kinds printed by 2.1.44 all have a schema', () => {
    const kinds = printed.filter(({ name }) => name.includes('2.1.44')).map(({ line }) => kindOf(line));
    expect([...new Set(kinds)].filter((kind) => !(kind in messageSchemas))).toEqual([]);
  });

  test('[FLD-01] every printed message has a uuid and the session id', () => {
    for (const { name, line } of printed) {
      expect([typeof line.uuid, typeof line.session_id], name).toEqual(['string', 'string']);
    }
  });
});

describe('unknown things pass', () => {
  test('[FWD-03] an unknown type', () => {
    const line = { type: 'hologram', beam: { width: 3 } };
    const parsed = parseMessage(line);
    expect(parsed.ok && parsed.message).toBe(line);
  });

  test('[MSG-30] unknown subtypes of system and result', () => {
    for (const line of [
      { type: 'system', subtype: 'init_start', data: [1] },
      { type: 'result', subtype: 'error_new_kind', x: 1 },
    ]) {
      const parsed = parseMessage(line);
      expect(parsed.ok && parsed.message).toBe(line);
    }
  });

  test('[FWD-01] an unknown content block, also inside a tool result', () => {
    const inner = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'smell', of: 'coffee' }] };
    const line = withContent({ type: 'smell', of: 'coffee' }, inner);
    expect(parseMessage(line)).toEqual({ ok: true, message: line });
  });

  test('[FWD-05] a new word where we list words', () => {
    const line = { ...assistant, error: 'solar_flare' };
    expect(parseMessage(line)).toEqual({ ok: true, message: line });
  });

  test('a type that is the name of an inherited property', () => {
    for (const type of ['constructor', '__proto__', 'toString']) expect(parseMessage({ type }).ok).toBe(true);
  });

  test.each([
    ['[MSG-21]', { type: 'streamlined_text', text: 't', session_id: 's', uuid: 'u' }],
    ['[MSG-22]', { type: 'streamlined_tool_use_summary', tool_summary: 't', session_id: 's', uuid: 'u' }],
    ['[MSG-26]', { type: 'keep_alive' }],
  ])('%s internal kinds are tolerated', (_row, line) => {
    expect(parseMessage(line)).toEqual({ ok: true, message: line });
  });
});

describe('[ERR-06] a known kind of bad shape is refused, naming the field', () => {
  test.each([
    ['no object', 7, 'a message is a JSON object'],
    ['a list', [assistant], 'a message is a JSON object'],
    ['no type', { subtype: 'init' }, 'type: expected a string'],
    ['system without subtype', { type: 'system' }, 'system: subtype: expected a string'],
    ['a missing field', { ...assistant, uuid: undefined }, 'assistant: uuid: expected string'],
    [
      'a wrong role',
      { ...assistant, message: { ...assistant.message, role: 'user' } },
      'message.role: expected "assistant"',
    ],
    ['a block without its text', withContent({ type: 'text' }), 'message.content.0.text: expected string'],
    [
      'a block without type',
      withContent({ text: 'x' }),
      'message.content.0.type: expected a known kind, or expected string',
    ],
    [
      'deep inside a tool result',
      withContent({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 7 }] }),
      'message.content.0.content.0.text: expected string',
    ],
    [
      'a list of errors that is none',
      { type: 'result', subtype: 'error_max_turns', errors: 'x' },
      'result/error_max_turns: ',
    ],
  ])('%s', (_what, line, detail) => {
    expect(refusal(line)).toContain(detail);
  });

  test.each(Object.keys(messageSchemas).filter((kind) => kind !== 'keep_alive'))('%s without its fields', (kind) => {
    const [type, subtype] = kind.split('/');
    expect(refusal(subtype ? { type, subtype } : { type })).toMatch(/: expected /);
  });
});

describe('user input', () => {
  const recorded = recordedLines('stdin').filter(({ line }) => line.type === 'user' && line.message);

  test('[FLD-19] recorded input is accepted, with and without uuid and session', () => {
    expect(recorded.length).toBeGreaterThan(0);
    for (const { name, line } of recorded) expect(UserInput.safeParse(line), name).toMatchObject({ success: true });
    expect(UserInput.safeParse({ type: 'user', message: { role: 'user', content: 'hi' } }).success).toBe(true);
  });

  test('[K41] parentUuid may be a uuid, null, or absent', () => {
    const input = { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } };
    for (const parentUuid of ['u1', null, undefined]) {
      expect(UserInput.safeParse({ ...input, parentUuid }).success).toBe(true);
    }
    expect(UserInput.safeParse({ ...input, parentUuid: 3 }).success).toBe(false);
  });
});

function kindOf(line: JsonObject): string {
  return line.type === 'system' || line.type === 'result' ? `${line.type}/${line.subtype}` : String(line.type);
}
