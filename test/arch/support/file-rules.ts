import { basename, dirname } from 'node:path';
import { importsOf, type SourceFile } from '../../support/source-tree.ts';
import type { Finding } from './exceptions.ts';

/** Folders with more files of their own than one can look through. */
export function crowdedFolders(files: readonly SourceFile[], limit: number): Finding[] {
  return [...groupBy(files, ({ path }) => dirname(path))]
    .filter(([, { length }]) => length > limit)
    .map(([folder, { length }]) => ({
      key: folder,
      amount: length,
      text: `${folder} has ${length} source files: make folders by concept in it`,
    }));
}

/** Files below a number of lines that only one other file imports. */
export function smallFiles(files: readonly SourceFile[], limit: number): Finding[] {
  const importers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { target } of importsOf(file)) {
      if (target) importers.set(target, (importers.get(target) ?? new Set()).add(file.path));
    }
  }
  return files.flatMap(({ path, text }): Finding[] => {
    const [only, ...others] = importers.get(path) ?? [];
    const lines = text.trimEnd().split('\n').length;
    if (!only || others.length || lines >= limit) return [];
    return [{ key: path, text: `${path} has ${lines} lines and only ${only} imports it: merge it into that file` }];
  });
}

/** Names of more than two files, or of two files in one folder of src. The entries of the package are all `index.ts`. */
export function sameNames(files: readonly SourceFile[]): Finding[] {
  const others = files.filter(({ path }) => basename(path) !== 'index.ts');
  return [...groupBy(others, ({ path }) => basename(path))]
    .filter(([, same]) => same.length > Math.min(2, new Set(same.map(({ folder }) => folder)).size))
    .map(([name, same]) => ({
      key: name,
      amount: same.length,
      text: `${same.map(({ path }) => path).join(', ')} have one name: name each by what only it does`,
    }));
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
