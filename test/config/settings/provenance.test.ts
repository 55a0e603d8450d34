import { expect, test } from 'vitest';
import type { Layer } from '../../../src/config/settings/layers.ts';
import { originsOf } from '../../../src/config/settings/provenance.ts';
import type { Scope } from '../../../src/config/settings/scopes.ts';

const layer = (scope: Scope, values: Layer['values'], path: string | null = `/${scope}.json`): Layer => {
  return { scope, path, values };
};

const told = (layers: Layer[]) => originsOf(layers).map(({ path, value, source }) => [path.join('.'), value, source]);

test('[B-106] every setting comes with the strongest layer that gives it, lists item by item', () => {
  const layers = [
    layer('flagSettings', { model: 'a', permissions: { deny: ['X'] } }, null),
    layer('userSettings', { model: 'b', env: { A: '1' }, permissions: { deny: ['X', 'Y'], allow: [] }, hooks: {} }),
  ];
  expect(told(layers)).toEqual([
    ['model', 'a', '--settings'],
    ['env.A', '1', '/userSettings.json'],
    ['permissions.deny', 'X', '--settings'],
    ['permissions.deny', 'Y', '/userSettings.json'],
    ['permissions.allow', [], '/userSettings.json'],
    ['hooks', {}, '/userSettings.json'],
  ]);
});

test('a value of another kind hides what lies below it', () => {
  const layers = [layer('localSettings', { a: 'text' }), layer('userSettings', { a: { b: 1 } })];
  expect(told(layers)).toEqual([['a', 'text', '/localSettings.json']]);
});

test('without settings there is nothing to tell', () => {
  expect(originsOf([])).toEqual([]);
});
