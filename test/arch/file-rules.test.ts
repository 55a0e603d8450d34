import { expect, test } from 'vitest';
import { sourceFiles } from '../support/source-tree.ts';
import { lateImports, namedDoors, targetCount, undeclaredDoors } from './support/doors.ts';
import { problems } from './support/exceptions.ts';
import { crowdedFolders, sameNames, smallFiles } from './support/file-rules.ts';

const FILES_IN_A_FOLDER = 25;
const LINES_OF_A_FILE_OF_ITS_OWN = 25;
/**
 * 47 for the engine and the command line, with plugins; the terminal adds itself, and what the first answer needs for
 * Markdown, and the terminal that only adds lines; the page of the explorer has one, the SDK on a server another, and
 * `heddle stats` a third.
 */
const TARGETS_OF_DOORS = 67;

/** Small files that one file imports and that are right as they are: what a folder asks of another, texts of errors. */
const SMALL_ON_PURPOSE: readonly string[] = [];

const files = sourceFiles();

test(`a folder holds at most ${FILES_IN_A_FOLDER} source files`, () => {
  expect(problems('folder-size', crowdedFolders(files, FILES_IN_A_FOLDER))).toEqual([]);
});

test(`no file under ${LINES_OF_A_FILE_OF_ITS_OWN} lines is imported by one file only`, () => {
  const found = smallFiles(files, LINES_OF_A_FILE_OF_ITS_OWN);
  const keys = found.map(({ key }) => key);
  expect(SMALL_ON_PURPOSE.filter((path) => !keys.includes(path))).toEqual([]);
  expect(
    problems(
      'small-files',
      found.filter(({ key }) => !SMALL_ON_PURPOSE.includes(key)),
    ),
  ).toEqual([]);
});

test('two files have one name only in different folders of src, and never beside a third', () => {
  expect(problems('same-names', sameNames(files))).toEqual([]);
});

test('own code is loaded late only at the doors of src/doors.ts', () => {
  expect(problems('doors', undeclaredDoors(lateImports(files), namedDoors()))).toEqual([]);
});

test(`there are at most ${TARGETS_OF_DOORS} doors`, () => {
  expect(problems('door-count', targetCount(lateImports(files), TARGETS_OF_DOORS))).toEqual([]);
});
