import { describe, expect, test } from 'vitest';
import { createQuery, hitsIn } from '../../../src/sessions/stored/text-query.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, user } from '../support.ts';

const hits = (query: string, entry: Entry, isPattern = false) =>
  hitsIn(entry, createQuery(query, { isPattern })).map(({ role, before, match, after }) => [
    role,
    before,
    match,
    after,
  ]);

describe('only what was said is searched', () => {
  test('texts, thoughts, inputs and outputs of tools; no keys, ids or names', () => {
    const entry = assistant('role', [
      { type: 'text', text: 'the role of it' },
      { type: 'thinking', thinking: 'a role', signature: 'role' },
      { type: 'tool_use', id: 'role', name: 'role', input: { role: ['a role', { deep: 'role' }] } },
    ]);
    expect(hits('role', entry).map(([role]) => role)).toEqual(['assistant', 'thinking', 'tool call', 'tool call']);
    const result = { type: 'tool_result', tool_use_id: 'role', content: [{ type: 'text', text: 'my role' }] };
    expect(hits('role', user('u', [result]))).toEqual([['tool result', 'my ', 'role', '']]);
    expect(hits('user', user('u', 'nothing'))).toEqual([]);
  });

  test('titles and summaries', () => {
    expect(hits('odd', { type: 'custom-title', customTitle: 'Odd one', sessionId: 's' })).toEqual([
      ['title', '', 'Odd', ' one'],
    ]);
  });
});

describe('the query', () => {
  test('is a text: signs of patterns mean themselves', () => {
    expect(hits('a.*(b)', user('u', 'x a.*(b) y'))).toEqual([['user', 'x ', 'a.*(b)', ' y']]);
    expect(hits('a.b', user('u', 'axb'))).toEqual([]);
  });

  test('case counts only with a capital letter', () => {
    expect(hits('été', user('u', 'ÉTÉ'))).toHaveLength(1);
    expect(hits('Été', user('u', 'été'))).toEqual([]);
    expect(hits('\\Bx', user('u', 'AX'), true)).toHaveLength(1);
  });

  test('patterns, and what is none', () => {
    expect(hits('^b+$', user('u', 'a\nbbb\nc'), true)).toEqual([['user', 'a\n', 'bbb', '\nc']]);
    expect(() => createQuery('(', { isPattern: true })).toThrow(/not a regular expression/);
    expect(() => createQuery('', { isPattern: false })).toThrow(/nothing to search/);
  });

  test.each([
    ['say "hi"\n', false, ['say \\"hi\\"\\n']],
    ['é', false, ['é', '\\u00e9']],
    ['😀', false, ['😀', '\\ud83d\\ude00']],
    ['hel+o world$', true, ['world']],
    ['colou?rs', true, ['colo']],
    ['foo|bar', true, []],
    ['(foo)?', true, []],
    ['a{0}bc', true, []],
  ])('%j narrows the search down to lines with %j, and never too far', (query, isPattern, needles) => {
    expect(createQuery(query, { isPattern }).needles).toEqual(needles);
  });
});
