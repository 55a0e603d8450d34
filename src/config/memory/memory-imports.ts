import { resolve } from 'node:path';
import { withoutTrailing } from '../../util/text/without-trailing.ts';

/** A file that a memory file names with `@path`. */
export interface MemoryImport {
  /** As it was written, without the `@`. */
  written: string;
  /** Absolute paths, the likeliest first: a sentence may end right after a path. */
  candidates: string[];
  /** Whether it can only be a path: many words with an `@` are not paths. */
  isPath: boolean;
}

/** The imports of a text, in order. Code and comments import nothing. */
export function memoryImports(text: string, { directory, userHome }: { directory: string; userHome: string }) {
  const found = withoutCode(text).matchAll(/(?<=^|[\s(])@((?:\\ |[^\s\\])+)/gm);
  return [...found].map(([, word = '']): MemoryImport => {
    const written = word.replaceAll('\\ ', ' ');
    const bare = withoutTrailing(written, '.,;:!?\'")]}*');
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

function withoutCode(text: string): string {
  return outsideFences(text.split('\n'))
    .map((line) => (line.includes('`') ? withoutCodeSpans(line) : line))
    .join('\n')
    .replace(/<!--[\s\S]*?(?:-->|$(?![\s\S]))/g, '');
}

/** A block of code ends with a fence like its first one, or with the file. */
function outsideFences(lines: readonly string[]): string[] {
  let open: string | null = null;
  return lines.filter((line) => {
    const [, fence] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (open !== null) {
      if (fence?.startsWith(open) && /^[`~]*[ \t]*$/.test(line.trimStart())) open = null;
      return false;
    }
    open = fence ?? null;
    return open === null;
  });
}

/** Text between two equally long rows of backticks is code. A row without a partner stays. */
function withoutCodeSpans(line: string): string {
  const rows = [...line.matchAll(/`+/g)].map(({ index, 0: row }) => ({ start: index, end: index + row.length }));
  const nextLike = new Map<number, number>();
  const closing = rows.map(() => -1);
  for (let at = rows.length - 1; at >= 0; at--) {
    const length = (rows[at]?.end ?? 0) - (rows[at]?.start ?? 0);
    closing[at] = nextLike.get(length) ?? -1;
    nextLike.set(length, at);
  }
  let text = '';
  let kept = 0;
  for (let at = 0; at < rows.length; at++) {
    const close = closing[at] ?? -1;
    if (close === -1) continue;
    text += line.slice(kept, rows[at]?.start);
    kept = rows[close]?.end ?? line.length;
    at = close;
  }
  return text + line.slice(kept);
}
