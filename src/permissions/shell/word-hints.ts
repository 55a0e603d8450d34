import type { Part, Word } from './shell-script.ts';

/**
 * What is known of a word that holds an unknown text: how its paths may end (`$x/a/b` may be `a/b`), what its last name begins
 * with, and what its braces may become.
 */
export function hintsOf(parts: readonly Part[], { isBraced }: { isBraced: boolean }): Word[] {
  if (isBraced) return parts.every((part) => typeof part === 'string') ? alternatives(parts.join('')) : [];
  if (!parts.some((part) => typeof part === 'object' && part.any === 'text')) return [];
  const [first] = parts;
  const last = parts.at(-1);
  const ends = typeof last === 'string' && parts.length > 1 ? endings(last) : [];
  const isStart = typeof first === 'string' && parts.length > 1 && /[^/]$/.test(first);
  return isStart ? [...ends, { parts: [first, { any: 'name' }], many: false }] : ends;
}

const MAX_HINTS = 8;

function endings(text: string): string[] {
  const slashes = [...text.matchAll(/\//g)].map(({ index }) => text.slice(index + 1));
  return [...(text.startsWith('/') ? [] : [text]), ...slashes].filter((each) => each !== '').slice(-MAX_HINTS);
}

/** The words of one brace expansion without another inside of it. */
function alternatives(text: string): Word[] {
  const [, before = '', inside, after = ''] = /^([^{}]*)\{([^{}]*,[^{}]*)\}([^{}]*)$/s.exec(text) ?? [];
  return inside?.split(',').map((each) => before + each + after) ?? [];
}
