import { escapeJson, spellings } from '../json-texts.ts';

/** Texts that must not be in a recording, because they are secret or differ between machines. */
export interface Masked {
  /** Paths by name. A recording contains `{heddle:NAME}` instead of them. */
  places: Readonly<Record<string, string>>;
  secrets: readonly string[];
}

export interface Mask {
  /** The text as it may be recorded. `json`: it is a piece of JSON, in which special characters are escaped. */
  hide(text: string, form?: 'plain' | 'json'): string;
  /** `hide` for a text that comes in pieces: a hidden part may begin in one piece and end in another. */
  hidePieces(pieces: readonly string[], form?: 'plain' | 'json'): string[];
  /** The recorded text with the paths of this machine. A secret stays hidden. */
  show(text: string, form?: 'plain' | 'json'): string;
}

/** A word without meaning to any shell, because a replay runs recorded commands again. */
const SECRET = 'REDACTED';
/** Shorter secrets (`none`, `test`: keys of local endpoints) would match words that are not secrets. */
const MIN_SECRET_CHARS = 8;
/** `/` cannot be masked: every path begins with it. */
const MIN_PLACE_CHARS = 2;

export function createMask({ places, secrets }: Masked): Mask {
  const paths = Object.entries(places).filter(([, path]) => path.length >= MIN_PLACE_CHARS);
  const words = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS).flatMap(spellings);
  const finders = { plain: createFinder(paths, words, (text) => text), json: createFinder(paths, words, escapeJson) };
  return {
    hide: (text, form = 'plain') => finders[form]([text]).join(''),
    hidePieces: (pieces, form = 'plain') => finders[form](pieces),
    show(text, form = 'plain') {
      const encode = form === 'json' ? escapeJson : (path: string) => path;
      return paths.reduce((shown, [name, path]) => shown.replaceAll(placeholder(name), () => encode(path)), text);
    },
  };
}

function placeholder(name: string): string {
  return `{heddle:${name}}`;
}

type Finder = (pieces: readonly string[]) => string[];

function createFinder(
  paths: readonly [name: string, path: string][],
  words: readonly string[],
  encode: (text: string) => string,
): Finder {
  const placeholders = new Map([
    ...words.map((word) => [word, SECRET] as const),
    ...paths.map(([name, path]) => [encode(path), placeholder(name)] as const),
  ]);
  if (placeholders.size === 0) return (pieces) => [...pieces];
  // The longest first: one path may contain another.
  const longestFirst = [...placeholders.keys()].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((text) => (placeholders.get(text) === SECRET ? quote(text) : wholePath(text)));
  const pattern = new RegExp(alternatives.join('|'), 'g');
  return (pieces) => {
    const found = [...pieces.join('').matchAll(pattern)].map(
      ({ index, 0: text }): Edit => ({
        start: index,
        end: index + text.length,
        text: placeholders.get(text) ?? SECRET,
      }),
    );
    return found.length === 0 ? [...pieces] : applyEdits(pieces, found);
  };
}

/** `/app` in `/app/x` and in an escaped `\n/app`, but neither in `/src/app` nor in `/apple`. */
function wholePath(path: string): string {
  return String.raw`(?:(?<![\w.~/-])|(?<=\\[nrt]))${quote(path)}(?![\w-]|\.\w)`;
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Each replacement goes as a whole into the piece in which it begins. */
function applyEdits(pieces: readonly string[], edits: readonly Edit[]): string[] {
  let from = 0;
  return pieces.map((piece) => {
    const to = from + piece.length;
    let kept = from;
    let result = '';
    for (const { start, end, text } of edits) {
      if (end <= kept || start >= to) continue;
      result += piece.slice(kept - from, Math.max(start, kept) - from);
      if (start >= from) result += text;
      kept = Math.min(end, to);
    }
    result += piece.slice(kept - from);
    from = to;
    return result;
  });
}
