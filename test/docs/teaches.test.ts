import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { PAGES, readBlocks } from './blocks.ts';

/** A program that people copy: a file of examples/, or a block of a page. */
interface Program {
  place: string;
  code: string;
}

const examples: Program[] = readdirSync(join(ROOT, 'examples')).map((name) => ({
  place: `examples/${name}`,
  code: read('examples', name),
}));

/** Of all pages, those of the API among them. */
const blocks: Program[] = [
  ...PAGES,
  ...readdirSync(join(ROOT, 'docs/reference/api')).map((name) => `docs/reference/api/${name}`),
]
  .flatMap((page) => readBlocks(page, read(page)))
  .filter(({ language }) => /^(ts|typescript|js|javascript|mjs|python|py)$/.test(language))
  .map(({ page, line, code }) => ({ place: `${page}:${line}`, code }));

/** Types that a page of the API lists are no programs. */
const programs = [...examples, ...blocks].filter(({ code }) => /\bfor (await|\()|\bawait\b|\bimport\b/.test(code));

function read(...path: string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}

function places(found: Program[]): string[] {
  return found.map(({ place }) => place);
}

/** Looks at the subtype of a result, or says it, and never asks whether it is an error. */
function trustsSubtype({ code }: Program): boolean {
  const looks = /["']result["']|ResultMessage/.test(code) && /\bsubtype\b(?!\s*[!=]==?\s*["']init["'])/.test(code);
  return looks && !/\bis_error\b|\bsuccessOf\b/.test(code);
}

function opens(code: string): boolean {
  return /\b(create|resume)Session\(/.test(code);
}

describe('programs that people copy', () => {
  test('there are many', () => {
    expect(examples.length).toBeGreaterThan(25);
    expect(programs.length).toBeGreaterThan(100);
  });

  test('[K24] none takes a subtype for the answer to whether it went well', () => {
    expect(places(programs.filter(trustsSubtype))).toEqual([]);
  });

  test.each([
    ["if (message.type === 'result' && message.subtype === 'success') console.log(message.result);", true],
    ["if (message.type === 'result') console.log(message.subtype);", true],
    ["if (message.type === 'result') console.log(message.is_error, message.subtype);", false],
    ["if (message.type === 'result') console.log(successOf(message).subtype);", false],
    ["if (message.type === 'system' && message.subtype === 'init' || message.type === 'result') done();", false],
  ])('%s: %s', (code, expected) => {
    expect(trustsSubtype({ place: '', code })).toBe(expected);
  });

  test('[FLD-19] none writes what a prompt need not say', () => {
    const wordy = programs.filter(({ code }) => /parent_tool_use_id: null|session_id: ['"]{2}/.test(code));
    expect(places(wordy)).toEqual([]);
  });

  test('none needs a syntax that Node 20 and 22 do not have', () => {
    expect(places(programs.filter(({ code }) => /\bawait using\b|^\s*using \w/m.test(code)))).toEqual([]);
  });

  test('blocks with sessions are plain JavaScript, too: they can be pasted into a file that nothing compiles', () => {
    const opening = blocks.filter(({ place, code }) => /^docs\/(sdk|recipes|checkpoints)/.test(place) && opens(code));
    expect(opening.length).toBeGreaterThan(4);
    for (const { place, code } of opening) {
      expect(() => transformSync(code, { loader: 'js', format: 'esm', target: 'node20' }), place).not.toThrow();
    }
  });

  test('one that opens a session sees to it that it is closed, also when something goes wrong', () => {
    const opening = examples.filter(({ code }) => opens(code));
    expect(opening.length).toBeGreaterThan(5);
    expect(places(opening.filter(({ code }) => !/finally \{[^}]*\.close\(\)/.test(code)))).toEqual([]);
    const careless = blocks.filter(
      ({ place, code }) => !place.startsWith('docs/reference/api/') && opens(code) && !code.includes('finally'),
    );
    expect(places(careless)).toEqual([]);
  });
});
