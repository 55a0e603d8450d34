import { withoutTrailing } from '../util/without-trailing.ts';

/** What may stand right behind a path in a sentence. */
const SENTENCE_ENDS = '.,;:!?\'")]}';

/** A path that a prompt names with `@`. */
export interface Mention {
  /** The likeliest first: a sentence may end right behind a path. */
  paths: string[];
  /** The lines that are meant; all when absent. */
  lines?: { first: number; last: number };
}

/** What a text mentions: `@src/a.ts`, `@"my notes.md"`, `@src/a.ts#L5-10`. Most words with an `@` turn out to be no path. */
export function mentionsIn(text: string): Mention[] {
  const found = text.matchAll(/(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))(#L\d+(?:-L?\d+)?)?/g);
  return [...found].map(([, quoted, word = '', behind]) => {
    const [whole, range] = quoted === undefined ? splitRange(word) : [quoted, behind];
    const bare = quoted ?? withoutTrailing(whole, SENTENCE_ENDS);
    const lines = linesOf(range);
    return { paths: [...new Set([whole, bare])].filter((path) => path !== ''), ...(lines && { lines }) };
  });
}

function splitRange(word: string): [path: string, range: string | undefined] {
  const bare = withoutTrailing(word, SENTENCE_ENDS);
  const at = bare.lastIndexOf('#L');
  const range = at === -1 ? null : /^#L\d+(?:-L?\d+)?$/.exec(bare.slice(at));
  return range ? [word.slice(0, at), range[0]] : [word, undefined];
}

function linesOf(range: string | undefined): Mention['lines'] {
  const [first, last = first] = range?.match(/\d+/g)?.map(Number) ?? [];
  return first === undefined || last === undefined || last < first ? undefined : { first, last };
}
