import { expect, test } from 'vitest';
import { sourceFiles } from '../support/source-tree.ts';

const LIMIT = 400;

test(`no source file is longer than ${LIMIT} lines`, () => {
  const long = sourceFiles()
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LIMIT)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by concept`);
  expect(long).toEqual([]);
});
