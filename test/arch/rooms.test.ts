import { expect, test } from 'vitest';
import { importsOf, sourceFiles } from '../support/source-tree.ts';
import { circleThrough, knots } from './support/cycles.ts';
import { problems } from './support/exceptions.ts';
import { againstTheArrow, ROOMS, roomOf } from './support/rooms.ts';

const files = sourceFiles();
const graph = new Map(files.map((file) => [file, importsOf(file)]));

test('every file of a folder with rooms is in a room', () => {
  const homeless = files
    .filter(({ path, folder }) => folder in ROOMS && !roomOf(path))
    .map(({ path }) => ({
      key: path,
      text: `${path} is in no room: move it, or add its folder to test/arch/support/rooms.ts`,
    }));
  expect(problems('rooms', homeless)).toEqual([]);
});

test('every room of the table has files', () => {
  const inUse = new Set(files.map(({ path }) => `${roomOf(path)?.folder} ${roomOf(path)?.room}`));
  const rooms = Object.entries(ROOMS).flatMap(([folder, rows]) => rows.flat().map((room) => `${folder} ${room}`));
  expect(rooms.filter((room) => !inUse.has(room))).toEqual([]);
});

test('a room imports only itself and rooms to its left, types included', () => {
  const found = [...graph].flatMap(([file, imports]) => imports.flatMap((each) => againstTheArrow(file, each) ?? []));
  expect(problems('room-direction', found)).toEqual([]);
});

/** A late import is no edge here: the table of doors and the rule above hold it. */
test('no file imports itself in a circle, types included', () => {
  const edges = new Map(
    [...graph].map(([file, imports]) => [
      file.path,
      imports.flatMap(({ target, kind }) => (target && kind !== 'dynamic' ? [target] : [])),
    ]),
  );
  const found = knots(edges)
    .flat()
    .map((path) => ({
      key: path,
      text: `${path} imports itself: ${circleThrough(path, edges).join(' -> ')}: move what both need to a file of its own`,
    }));
  expect(problems('file-cycles', found)).toEqual([]);
});
