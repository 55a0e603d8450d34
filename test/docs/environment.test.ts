import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { sourceFiles } from '../support/source-tree.ts';

/** Looks like one and is none: codes of errors, examples in help texts, a variable inside of a shell script. */
const NO_VARIABLES = ['EAI_AGAIN', 'ERR_BUFFER_TOO_LARGE', 'ERR_STREAM_PREMATURE_CLOSE', 'NAME', 'HEDDLE_COMMAND'];

const sources = sourceFiles().map(({ text }) => withoutComments(text));
const read = variablesInSources();
const told = variablesOnPage();

test('every variable that src/ names is in docs/environment.md', () => {
  expect([...read].filter((name) => !told.has(name) && !NO_VARIABLES.includes(name))).toEqual([]);
});

test('docs/environment.md names no variable that src/ does not know', () => {
  const isNamed = (name: string) => sources.some((code) => code.includes(`'${name}'`) || code.includes(`${name}: `));
  expect([...told].filter((name) => !read.has(name) && !isNamed(name))).toEqual([]);
});

test('what looks like a variable and is none still looks like one', () => {
  expect(NO_VARIABLES.filter((name) => !read.has(name))).toEqual([]);
});

/** By how they are written: `env.NAME`, `{ NAME }: Env`, `'SOME_NAME'` in a table, `SOME_NAME: value` in an object. */
function variablesInSources(): Set<string> {
  const names = sources.flatMap((code) => {
    const taken = [...code.matchAll(/\{([^{}]*)\}(?:: (?:Env|NodeJS\.ProcessEnv)\b| = (?:\w+\.)*env\b)/g)];
    return [
      ...[...code.matchAll(/[eE]nv\??\.([A-Z][A-Z0-9_]*)\b/g)].map(([, name]) => name),
      ...taken.flatMap(([, inside = '']) => inside.match(/\b[A-Z][A-Z0-9_]*\b/g) ?? []),
      ...[...code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(([, name]) => name),
      ...[...code.matchAll(/[{,]\s*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+): /g)].map(([, name]) => name),
      ...[...code.matchAll(/'([A-Z_]+)=\$/g)].map(([, name]) => name),
    ];
  });
  return new Set(names.flatMap((name) => name ?? []));
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

function variablesOnPage(): Set<string> {
  const page = readFileSync(join(ROOT, 'docs/environment.md'), 'utf8');
  return new Set([...page.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)`/g)].flatMap(([, name]) => name ?? []));
}
