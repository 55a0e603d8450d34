import { expect, test } from 'vitest';
import { dialectOfSdk } from '../../src/wire/dialect.ts';

test.each([
  [undefined, '2.1.44'],
  ['', '2.1.44'],
  ['unknown', '2.1.44'],
  ['0.1.0', '2.1.44'],
  ['0.2.44', '2.1.44'],
  ['0.3.0', '2.1.325'],
  ['0.3.325', '2.1.325'],
  ['0.10.1', '2.1.325'],
  ['1.0.0-beta.1', '2.1.325'],
])('[K46] an SDK of version %s expects %s', (version, dialect) => {
  expect(dialectOfSdk(version)).toBe(dialect);
});
