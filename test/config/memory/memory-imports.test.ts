import { describe, expect, test } from 'vitest';
import { memoryImports } from '../../../src/config/memory/memory-imports.ts';

const PLACE = { directory: '/p/docs', userHome: '/home/u' };
const namesIn = (text: string) => memoryImports(text, PLACE).map(({ written }) => written);
const firstOf = (text: string) => memoryImports(text, PLACE)[0];

describe('what a memory file imports', () => {
  test.each([
    ['a word of its own', '@rules.md', '/p/docs/rules.md'],
    ['within a sentence', 'See @rules.md for more', '/p/docs/rules.md'],
    ['in a list', '- git: @./git/flow.md', '/p/docs/git/flow.md'],
    ['above the file', '@../README', '/p/README'],
    ['from the root', '@/etc/rules.md', '/etc/rules.md'],
    ['from the home', '@~/rules.md', '/home/u/rules.md'],
    ['with a space', '@my\\ rules.md', '/p/docs/my rules.md'],
  ])('%s', (_what, text, path) => {
    expect(firstOf(text)?.candidates[0]).toBe(path);
  });

  test('a sentence may end behind it', () => {
    expect(firstOf('Read (@rules.md).')?.candidates).toEqual(['/p/docs/rules.md).', '/p/docs/rules.md']);
  });

  test.each([
    ['an address', 'mail me@example.org'],
    ['a block of code', '```sh\nnpm i @scope/rules.md\n```'],
    ['a block with tildes', '~~~\n@rules.md\n~~~'],
    ['a block that does not end', 'text\n```\n@rules.md\n'],
    ['a block within which there is a shorter fence', '````\n```\n@rules.md\n```\n````'],
    ['code in a line', 'call `@rules.md` and ``a ` @rules.md``'],
    ['a comment', '<!-- @rules.md\n@other.md -->'],
    ['nothing', '@'],
  ])('%s is none', (_what, text) => {
    expect(namesIn(text)).toEqual([]);
  });

  test('code ends where it ends', () => {
    expect(namesIn('`a` @one.md `b`\n```\n@no.md\n```\n@two.md\n<!-- @no.md --> @three.md')).toEqual([
      ...['one.md', 'two.md', 'three.md'],
    ]);
  });

  test.each([
    ['@types/node', false],
    ['@someone', false],
    ['@notes.md', true],
    ['@./x', true],
    ['@~/x', true],
    ['@/x', true],
  ])('whether %s can only be a path: %s', (text, isPath) => {
    expect(firstOf(text)?.isPath).toBe(isPath);
  });
});
