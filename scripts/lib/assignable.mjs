// Compares the declarations of the reference SDK with ours, type by type: `test/interop/assignable.json` says which must be
// assignable to which. Only declarations are read.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

const LISTS = path.join(root, 'test/interop/assignable.json');

/** Writes a program that compiles when every type of the lists is assignable as they say. Returns its path. */
export function assignmentsFile({ declarations, ours, folder }) {
  const { widened, read, given } = JSON.parse(fs.readFileSync(LISTS, 'utf8'));
  // Beside the original, so that what it imports is found.
  const theirs = path.join(path.dirname(declarations), 'widened.d.ts');
  fs.writeFileSync(theirs, widen(fs.readFileSync(declarations, 'utf8'), widened));
  const file = path.join(folder, 'assignments.ts');
  fs.writeFileSync(
    file,
    [
      `import type * as Theirs from '${theirs.replace(/\.d\.ts$/, '.js')}';`,
      `import type * as Ours from '${ours.replace(/\.d\.ts$/, '.js')}';`,
      ...read.map((name) => `export const read_${name}: Theirs.${name} = null as unknown as Ours.${name};`),
      ...given.map((name) => `export const given_${name}: Ours.${name} = null as unknown as Theirs.${name};`),
    ].join('\n'),
  );
  return file;
}

function widen(text, widened) {
  return Object.entries(widened).reduce((result, [name, { words }]) => {
    const declaration = new RegExp(`(export declare type ${name} = [^;]+);`);
    if (!declaration.test(result)) throw new Error(`the reference declares no ${name}`);
    return result.replace(declaration, `$1 | ${words.map((word) => `'${word}'`).join(' | ')};`);
  }, text);
}
