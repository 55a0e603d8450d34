import { resolve } from 'node:path';

/** A file that a memory file names with `@path`. */
export interface MemoryImport {
  /** As it was written, without the `@`. */
  written: string;
  /** Absolute, the likeliest first: a sentence may end right behind a path. */
  candidates: string[];
  /** Whether it can only be meant as a path: many words with an `@` are none. */
  isPath: boolean;
}

/** What a text imports, in its order. Code, and what is commented out, imports nothing. */
export function memoryImports(text: string, { directory, userHome }: { directory: string; userHome: string }) {
  const found = withoutCode(text).matchAll(/(?<=^|[\s(])@((?:\\ |[^\s\\])+)/gm);
  return [...found].map(([, word = '']): MemoryImport => {
    const written = word.replaceAll('\\ ', ' ');
    const bare = written.replace(/[.,;:!?'")\]}*]+$/, '');
    const paths = [...new Set([written, bare])].filter((path) => path !== '');
    return {
      written: bare,
      candidates: paths.map((path) => fromHome(path, userHome) ?? resolve(directory, path)),
      isPath: /^(\.{0,2}|~)\/|\.md$/.test(bare),
    };
  });
}

function fromHome(path: string, userHome: string): string | null {
  return userHome !== '' && path.startsWith('~/') ? resolve(userHome, path.slice(2)) : null;
}

/** A block of code ends with a fence like the one it began with, or with the file. */
const CODE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

function withoutCode(text: string): string {
  return text
    .replace(CODE, '')
    .replace(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '')
    .replace(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, '');
}
