import { describe, expect, test } from 'vitest';
import { patchSettings, withoutSetting, withSetting } from '../../../src/config/settings/edit-settings.ts';

describe('setting', () => {
  test('makes the objects on the way, and leaves the rest alone', () => {
    const values = { model: 'a', permissions: { deny: ['X'] } };
    expect(withSetting(values, ['permissions', 'defaultMode'], 'plan')).toEqual({
      model: 'a',
      permissions: { deny: ['X'], defaultMode: 'plan' },
    });
    expect(withSetting({}, ['a', 'b', 'c'], [1])).toEqual({ a: { b: { c: [1] } } });
    expect(values).toEqual({ model: 'a', permissions: { deny: ['X'] } });
  });

  test('names that every object has are names like any other', () => {
    expect(withSetting({}, ['constructor', 'x'], 1)).toEqual({ constructor: { x: 1 } });
  });

  test('does not replace something else by an object', () => {
    expect(() => withSetting({ a: { b: 'text' } }, ['a', 'b', 'c'], 1)).toThrow('a.b is no object');
    expect(() => withSetting({ a: null }, ['a', 'b'], 1)).toThrow('a is no object');
  });
});

describe('taking away', () => {
  test('takes objects along that become empty', () => {
    expect(withoutSetting({ model: 'a', env: { A: '1' } }, ['env', 'A'])).toEqual({ model: 'a' });
    expect(withoutSetting({ env: { A: '1', B: '2' } }, ['env', 'A'])).toEqual({ env: { B: '2' } });
  });

  test('says when there is nothing', () => {
    for (const path of [['b'], ['a', 'b'], ['toString']]) expect(withoutSetting({ a: 1 }, path)).toBeNull();
  });
});

describe('a patch', () => {
  test('changes objects key by key, replaces lists, and takes away what is null', () => {
    const values = { model: 'a', permissions: { deny: ['X'], allow: ['Y'] }, env: 'odd' };
    const changes = { model: null, permissions: { allow: ['Z'], ask: ['W'] }, env: { A: '1', B: null } };
    expect(patchSettings(values, changes)).toEqual({
      permissions: { deny: ['X'], allow: ['Z'], ask: ['W'] },
      env: { A: '1' },
    });
    expect(values.permissions.allow).toEqual(['Y']);
  });

  test('cannot reach the prototype', () => {
    expect(() => patchSettings({}, JSON.parse('{"a":{"__proto__":{"b":1}}}'))).toThrow(/__proto__/);
    expect(patchSettings({}, { constructor: { a: 1 } })).toEqual({ constructor: { a: 1 } });
  });
});
