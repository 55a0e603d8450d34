import { createPauses } from '../../util/pauses.ts';

/**
 * Reads the lines that ripgrep prints with `--null`: a NUL ends each path, so that no file name can be mistaken for
 * something else. Ripgrep searches in parallel and prints files in any order; here they are sorted, so that results are
 * repeatable.
 */

/** Lines between checks of the clock. */
const STRIDE = 1000;

/** `a.txt:1:text` for matches, `a.txt-2-text` for their context, `--` between parts that do not touch. */
export async function lineEntries(printed: readonly string[], options: LineOptions): Promise<string[]> {
  const blocks: Block[] = [];
  let separated = false;
  let startNew = true;
  const pauses = createPauses();
  for (const [at, line] of printed.entries()) {
    if (at % STRIDE === 0 && pauses.isDue()) await pauses.take();
    if (line === '--') {
      separated = true;
      startNew = true;
      continue;
    }
    const found = parseLine(line);
    if (!found) continue;
    let block = blocks.at(-1);
    if (startNew || block === undefined || block.path !== found.path) {
      block = { path: found.path, name: options.name(found.path), lines: [] };
      blocks.push(block);
      startNew = false;
    }
    block.lines.push(renderLine(found, block.name, options));
  }
  blocks.sort((a, b) => comparePaths(a.path, b.path));
  return blocks.flatMap((block, index) => (separated && index > 0 ? ['--', ...block.lines] : block.lines));
}

/** `a.txt:3` */
export function countEntries(printed: readonly string[], name: (path: string) => string): string[] {
  return printed
    .map((line) => line.split('\0'))
    .filter((parts): parts is [string, string] => parts.length === 2)
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, count]) => `${name(path)}:${count}`);
}

interface LineOptions {
  /** Formats a path. */
  name: (path: string) => string;
  /** True to show line numbers. */
  numbers: boolean;
}

interface Block {
  path: string;
  /** The path as it is shown. */
  name: string;
  lines: string[];
}

interface MatchedLine {
  path: string;
  number: string;
  /** `:` for a match, `-` for context. */
  mark: string;
  text: string;
}

function parseLine(line: string): MatchedLine | null {
  const end = line.indexOf('\0');
  const match = end === -1 ? null : /^(\d+)([:-])(.*?)\r?$/s.exec(line.slice(end + 1));
  if (!match) return null;
  const [, number = '', mark = '', text = ''] = match;
  return { path: line.slice(0, end), number, mark, text };
}

function renderLine({ number, mark, text }: MatchedLine, name: string, { numbers }: LineOptions): string {
  return numbers ? `${name}${mark}${number}${mark}${text}` : `${name}${mark}${text}`;
}

function comparePaths(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
