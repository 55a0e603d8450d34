import { isObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';

const LONGEST = 4096;
const MAX_DEPTH = 24;

/** A text that was cut, or left out because it is the bytes of an image. */
export interface CutText {
  /** The way to it from the entry. */
  path: (string | number)[];
  /** Its characters in all. */
  chars: number;
}

/** An entry as a page gets it: long texts cut, bytes of files left out, both named. */
export function cutEntry(entry: Entry): { entry: unknown; cuts: CutText[] } {
  const cuts: CutText[] = [];
  const visit = (value: unknown, path: CutText['path'], isBytes: boolean): unknown => {
    if (typeof value === 'string') {
      if (isBytes && value.length > 64) cuts.push({ path, chars: value.length });
      else if (value.length > LONGEST) cuts.push({ path, chars: value.length });
      else return value;
      return isBytes ? '' : cutText(value);
    }
    if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item, at) => visit(item, [...path, at], false));
    const hasBytes = value !== null && isObject(value) && value.type === 'base64';
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, visit(each, [...path, key], hasBytes && key === 'data')]),
    );
  };
  return { entry: visit(entry, [], false), cuts };
}

/** Not through a surrogate pair. */
function cutText(text: string): string {
  const last = text.charCodeAt(LONGEST - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? LONGEST - 1 : LONGEST);
}

/** The value at a way; undefined: there is nothing. */
export function valueAt(entry: Entry, path: readonly (string | number)[]): unknown {
  let value: unknown = entry;
  for (const key of path) {
    if (Array.isArray(value) && typeof key === 'number') value = value[key];
    else if (isObject(value) && typeof key === 'string' && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}
