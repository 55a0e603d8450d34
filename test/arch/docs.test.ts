import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

/** A word in backticks is a path of ours when it begins with one of these. `dist/` comes and goes, so it is not here. */
const TOP = /^(src|test|scripts|bench|docs|spec|schema|examples|\.ci)\//;
/** Folders of src, which the documents also name without `src/`. */
const SHORT =
  /^(util|wire|define|model|tools|permissions|hooks|mcp|sessions|config|agent|host|sdk|cli|tui|web|testing)\//;
const ROOT_FILE = /^[A-Z][A-Z-]*\.md$|^(package|tsconfig|biome|knip)[\w.]*\.json$|^vitest[\w.]*\.ts$/;

describe.each(['ARCHITECTURE.md', 'AGENTS.md'])('%s', (document) => {
  test('every path that it names exists', () => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const missing = [...text.matchAll(/`([^`\n]+)`/g)]
      .map(([, word]) => (word ?? '').replace(/(:\d+)?[.,]?$/, ''))
      .filter((word) => !/[*<>{}\s…()]/.test(word))
      .filter((word) => (TOP.test(word) || ROOT_FILE.test(word) || SHORT.test(word)) && !exists(word));
    expect(missing).toEqual([]);
  });
});

/** A file or folder, with or without `src/` before it and `.ts` behind it. */
function exists(word: string): boolean {
  const bases = TOP.test(word) || ROOT_FILE.test(word) ? [word] : [word, `src/${word}`];
  return bases.some((base) => existsSync(join(ROOT, base)) || existsSync(join(ROOT, `${base}.ts`)));
}
