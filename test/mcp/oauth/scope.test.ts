import { expect, test } from 'vitest';
import { joinedScope, missingScope, scopeWords } from '../../../src/mcp/oauth/scope.ts';

test('the words of scopes, each once', () => {
  expect(scopeWords(' a  b a\n')).toEqual(['a', 'b']);
  expect(joinedScope('a b', undefined, 'b c')).toBe('a b c');
  expect(joinedScope(undefined, ' ')).toBeUndefined();
});

test('what is wanted and was not asked for; a server that wants ever more gets nothing', () => {
  expect(missingScope('a b', 'b')).toEqual(['a']);
  expect(missingScope('a', 'a b')).toEqual([]);
  expect(missingScope('x'.repeat(1990), 'a')).toHaveLength(1);
  expect(missingScope('y'.repeat(1990), 'a'.repeat(20))).toEqual([]);
});
