import { expect, test } from 'vitest';
import { formatKey, parseKey } from '../../../src/config/settings/setting-key.ts';

test.each([
  ['model', ['model']],
  ['permissions.deny', ['permissions', 'deny']],
  ['modelLimits."openai/gpt-4.1".contextWindow', ['modelLimits', 'openai/gpt-4.1', 'contextWindow']],
  ['env."a \\"b\\" \\\\"', ['env', 'a "b" \\']],
])('%s is read, and written back', (text, path) => {
  expect(parseKey(text)).toEqual(path);
  expect(formatKey(path)).toBe(text);
});

test.each(['', '.', 'a..b', 'a.', '.a', 'a."b', 'a"b"', '__proto__.x', 'a.__proto__'])('%j is no key', (text) => {
  expect(() => parseKey(text)).toThrow(expect.objectContaining({ code: 'invalid_settings' }));
});
