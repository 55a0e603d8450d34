import { describe, expect, test } from 'vitest';
import type { Layer } from '../../../src/config/settings/layers.ts';
import { mergeLayers, originOf } from '../../../src/config/settings/merge.ts';
import type { Scope } from '../../../src/config/settings/scopes.ts';

const layer = (scope: Scope, values: Layer['values']): Layer => ({ scope, path: `/${scope}.json`, values });

describe('[SET-03] layers are merged', () => {
  test('the strongest single value wins, lists come together, objects key by key', () => {
    const layers = [
      layer('localSettings', { model: 'a', permissions: { deny: ['Bash(rm:*)'] } }),
      layer('userSettings', {
        model: 'b',
        language: 'en',
        permissions: { deny: ['Read(./.env)', 'Bash(rm:*)'], defaultMode: 'plan' },
      }),
    ];
    expect(mergeLayers(layers)).toEqual({
      model: 'a',
      language: 'en',
      permissions: { deny: ['Bash(rm:*)', 'Read(./.env)'], defaultMode: 'plan' },
    });
    expect(originOf(['model'], layers)?.scope).toBe('localSettings');
    expect(originOf(['permissions', 'defaultMode'], layers)?.scope).toBe('userSettings');
    expect(originOf(['nothing'], layers)).toBeUndefined();
  });

  test('a value of another kind replaces', () => {
    const layers = [layer('flagSettings', { a: ['x'] }), layer('userSettings', { a: { b: 1 } })];
    expect(mergeLayers(layers)).toEqual({ a: ['x'] });
  });

  test('prototype keys are no settings', () => {
    const merged = mergeLayers([layer('flagSettings', JSON.parse('{"__proto__":{"bad":1},"constructor":2}'))]);
    expect(merged).toEqual({ constructor: 2 });
    expect((merged as { bad?: unknown }).bad).toBeUndefined();
  });
});
