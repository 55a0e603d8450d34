import { messageOf } from '../../util/message-of.ts';
import { patternOfText } from '../../util/text/pattern-of-text.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type TextRole, textsOf } from '../entry-texts.ts';

/** A query for the texts of sessions. */
export interface TextQuery {
  /** A line of a transcript with a match contains one of these texts, in any case. Empty: every line may match. */
  needles: readonly string[];
  find(text: string): { start: number; end: number } | null;
}

export interface TextHit {
  role: TextRole;
  before: string;
  match: string;
  after: string;
}

/** Case matters only when the query has a capital letter. Throws `invalid_option` for an invalid pattern. */
export function createQuery(query: string, { isPattern }: { isPattern: boolean }): TextQuery {
  if (query === '') throw new HeddleError('invalid_option', 'there is nothing to search for');
  const source = isPattern ? query : patternOfText(query);
  const flags = /\p{Lu}/u.test(isPattern ? query.replaceAll(/\\./g, '') : query) ? 'mu' : 'imu';
  const pattern = compiled(source, flags);
  return {
    needles: isPattern ? needlesOfPattern(query) : jsonSpellings(query),
    find(text) {
      const found = pattern.exec(text);
      return found && { start: found.index, end: found.index + found[0].length };
    },
  };
}

const AROUND = 60;

/** The first match in each text of an entry, with the text around it. */
export function hitsIn(entry: Entry, query: TextQuery): TextHit[] {
  return textsOf(entry).flatMap(({ role, text }) => {
    const found = query.find(text);
    if (!found) return [];
    const { start, end } = found;
    const from = Math.max(0, start - AROUND);
    const to = Math.min(text.length, end + AROUND);
    return [
      {
        role,
        before: (from > 0 ? '…' : '') + text.slice(from, start),
        match: text.slice(start, end),
        after: text.slice(end, to) + (to < text.length ? '…' : ''),
      },
    ];
  });
}

function compiled(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new HeddleError('invalid_option', `not a regular expression: ${messageOf(error)}`);
  }
}

/** The ways in which JSON writers spell a text: most leave letters unchanged, some escape everything outside ASCII. */
function jsonSpellings(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replaceAll(/[^\p{ASCII}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  return [...new Set([plain, ascii])];
}

/**
 * A text that every match of the pattern must contain, found only in simple cases: the longest run of letters and
 * digits in a pattern without alternatives, groups, classes and escapes.
 */
function needlesOfPattern(pattern: string): string[] {
  if (/[|()[\]{}\\]/.test(pattern)) return [];
  const runs = pattern.replaceAll(/.[?*]/gu, '.').match(/[A-Za-z0-9_-]{2,}/g) ?? [];
  const [longest] = runs.sort((a, b) => b.length - a.length);
  return longest === undefined ? [] : [longest];
}
