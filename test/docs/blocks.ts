import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

/** A fenced block of a page. */
export interface Block {
  page: string;
  /** Of its opening fence. */
  line: number;
  language: string;
  code: string;
  /** What the comment right before it says: `<!-- run: setup=clone exit=1 -->` is `{ setup: 'clone', exit: '1' }`. */
  notes: ReadonlyMap<string, string>;
}

/** Pages whose blocks are looked at: all but docs/reference/api, whose examples `scripts/api-docs.mjs` compiles. */
export const PAGES: readonly string[] = ['', 'docs', 'docs/reference'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

export function blocksOf(page: string): Block[] {
  return readBlocks(page, readFileSync(join(ROOT, page), 'utf8'));
}

export function readBlocks(page: string, text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^( *)(`{3,}|~{3,})(.*)$/.exec(lines[at] ?? '');
    if (!opening) continue;
    const [, indent = '', fence = '', info = ''] = opening;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end === -1) throw new Error(`${page}:${at + 1}: a block that nothing closes`);
    const code = lines.slice(at + 1, end).map((line) => line.slice(line.startsWith(indent) ? indent.length : 0));
    const language = info.trim();
    blocks.push({ page, line: at + 1, language, code: `${code.join('\n')}\n`, notes: notesIn(lines[at - 1] ?? '') });
    at = end;
  }
  return blocks;
}

/** `run` for what is executed; else the language says what is checked: `<!-- json: settings -->`. */
const NOTES = /^ *<!-- (?:run|json|markdown|python|text): (.*?) -->$/;

/** `because` takes all the rest. */
function notesIn(line: string): Map<string, string> {
  const [, text = ''] = NOTES.exec(line) ?? [];
  const [words = '', because] = text.split(/(?:^| )because=/);
  const pairs = words.split(' ').filter((word) => word !== '');
  const notes = new Map(pairs.map((word) => splitOnce(word)));
  if (because !== undefined) notes.set('because', because);
  return notes;
}

function splitOnce(word: string): [string, string] {
  const at = word.indexOf('=');
  return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
}

/** Lines of code that are only indented, outside of lists: `page:line`. */
export function indentedCode(page: string): string[] {
  const lines = proseOf(page);
  return lines.flatMap((line, at) => {
    const begins = /^ {4,}\S/.test(line) && lines[at - 1]?.trim() === '';
    const before = lines.slice(0, at).findLast((each) => each.trim() !== '') ?? '';
    return begins && !/^\s|^([-*]|\d+\.) /.test(before) ? [`${page}:${at + 1}`] : [];
  });
}

/** The lines of a page, with those of its blocks emptied. */
function proseOf(page: string): string[] {
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  for (const { line, code } of blocksOf(page)) lines.fill('', line - 1, line + code.split('\n').length);
  return lines;
}
