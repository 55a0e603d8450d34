import { expect, test } from 'vitest';
import { filesBelow, parseFile, sourceFiles } from '../support/source-tree.ts';
import { callbackSlots, forcedCasts, longFunctions } from './support/code-rules.ts';
import { problems } from './support/exceptions.ts';

const LINES_OF_A_FUNCTION = 100;

const files = sourceFiles();

test(`no function is longer than ${LINES_OF_A_FUNCTION} lines`, () => {
  expect(problems('function-length', longFunctions(files, LINES_OF_A_FUNCTION))).toEqual([]);
});

test('a callback cannot be assigned later, unless it is in an options object', () => {
  expect(problems('callback-slots', callbackSlots(files))).toEqual([]);
});

test('tests do not write `as unknown as` for a type of host', () => {
  const tests = filesBelow('test').filter((path) => path.endsWith('.ts'));
  expect(problems('forced-casts', forcedCasts(tests.map((path) => parseFile(path))))).toEqual([]);
});
