import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMetafile } from '../support/bundles.ts';
import { ROOT } from '../support/root.ts';

/**
 * The library is code that people see in stack traces, step into and read: with lines, names, and maps to the sources.
 * (The command line is minified: every start reads it.)
 */
const bundles = Object.entries(readMetafile().outputs)
  .filter(([file]) => file.endsWith('.js'))
  .map(([file, { inputs }]) => ({ file, text: read(file), ours: Object.keys(inputs).filter(isOurs) }));
const mapped = bundles.filter(({ ours, text }) => ours.length > 0 && /^\/\/ src\//m.test(text));

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function isOurs(source: string): boolean {
  return source.startsWith('src/');
}

describe('the built library', () => {
  test('has lines', () => {
    expect(bundles.length).toBeGreaterThan(100);
    // Other packages and texts for the model may have a long one.
    const flat = bundles.filter(({ text }) => text.length / text.split('\n').length > 200);
    expect(flat.map(({ file }) => file)).toEqual([]);
  });

  test('has the names of the sources', () => {
    expect(
      read('dist/index.js')
        .split('\n')
        .some((line) => line.startsWith('function query(')),
    ).toBe(true);
    const renamed = bundles.filter(({ text }) => /\bm\d+_\d+\b/.test(text));
    expect(renamed.map(({ file }) => file)).toEqual([]);
  });

  test('says which file each part comes from', () => {
    const silent = mapped.filter(({ text, ours }) => !ours.some((source) => text.split('\n').includes(`// ${source}`)));
    expect(silent.map(({ file }) => file)).toEqual([]);
    expect(bundles.filter(({ text }) => /^\/\/(!| chunk:)/m.test(text)).map(({ file }) => file)).toEqual([]);
  });

  test('has maps that lead to the line of each function', () => {
    let functions = 0;
    for (const { file, text } of mapped) {
      expect(text).toMatch(/\n\/\/# sourceMappingURL=[\w.-]+\.js\.map\n$/);
      const payload = JSON.parse(read(`${file}.map`)) as SourceMapPayload;
      expect(payload.sourcesContent).toBeUndefined();
      const map = new SourceMap(payload);
      for (const { line, name } of functionsOf(text)) {
        const entry = map.findEntry(line, 0);
        if (!('originalSource' in entry) || entry.originalSource === undefined) continue; // another package's
        functions += 1;
        const source = relative(ROOT, join(ROOT, dirname(file), entry.originalSource));
        expect(isOurs(source) && existsSync(join(ROOT, source)), `${file}: ${source}`).toBe(true);
        const there = lineOf(source, entry.originalLine);
        expect(there, `${file}:${line + 1}, ${source}:${entry.originalLine + 1}`).toContain(name);
      }
    }
    expect(functions).toBeGreaterThan(2000);
  });
});

/** Functions on the top level, by their name in the sources: the bundler counts where two have the same. */
function functionsOf(text: string): { line: number; name: string }[] {
  return text.split('\n').flatMap((code, line) => {
    const name = /^(?:async )?function\*? (\w+?)\d*\(/.exec(code)?.[1];
    return name === undefined ? [] : [{ line, name }];
  });
}

const lines = new Map<string, string[]>();
function lineOf(source: string, line: number): string {
  const known = lines.get(source) ?? read(source).split('\n');
  lines.set(source, known);
  return known[line] ?? '';
}
