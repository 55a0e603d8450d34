import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { sourceFiles } from '../support/source-tree.ts';

/** A word in backticks is a path of ours when it begins with one of these. `dist/` comes and goes, so it is not here. */
const TOP = /^(src|test|scripts|bench|docs|spec|schema|examples|\.ci)\//;
/** Folders of src, which the documents also name without `src/`. */
const SHORT =
  /^(util|wire|define|model|tools|permissions|hooks|mcp|sessions|config|agent|host|admin|sdk|cli|tui|web|testing)\//;
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

test('every folder of src has its row in ARCHITECTURE.md, which stays within 200 lines', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const below = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true });
  const folders = below.filter((each) => each.isDirectory()).map((each) => join(each.parentPath, each.name));
  const unnamed = folders.map((folder) => relative(ROOT, folder)).filter((folder) => !text.includes(`\`${folder}\``));
  expect(unnamed).toEqual([]);
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
});

/** Phrases that say neither who acts nor where: "is told", "goes on". Their plain forms are in CONTRIBUTING.md. */
const RIDDLES =
  /\b(anew|in the place of|gone on|goes on|what be(?:comes|came) of|somebody|who(?:m)?ever|is told|are told|said aloud|beside|cannot be had)\b/i;

test('pages use none of the phrases that hide who acts', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'CONTRIBUTING.md', 'REVIEW.md', 'SECURITY.md'];
  const inDocs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const found = [...pages, ...inDocs.map((name) => `docs/${name}`)].flatMap((page) =>
    readFileSync(join(ROOT, page), 'utf8')
      .split('\n')
      .flatMap((line, at) => (RIDDLES.test(line) ? [`${page}:${at + 1}: ${RIDDLES.exec(line)?.[0]}`] : [])),
  );
  expect(found).toEqual([]);
});

test('comments of src use none of them', () => {
  const found = sourceFiles().flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)|\s\/\/ (.*)$/.exec(line)?.[0] ?? '';
      return RIDDLES.test(comment) ? [`${path}:${at + 1}: ${RIDDLES.exec(comment)?.[0]}`] : [];
    }),
  );
  expect(found).toEqual([]);
});

/** A file or folder, with or without `src/` before it and `.ts` behind it. */
function exists(word: string): boolean {
  const bases = TOP.test(word) || ROOT_FILE.test(word) ? [word] : [word, `src/${word}`];
  return bases.some((base) => existsSync(join(ROOT, base)) || existsSync(join(ROOT, `${base}.ts`)));
}
