import { MAX_DESCRIPTION_CHARS, MAX_ITEM_CHARS, MAX_ITEM_DEPTH, MAX_LISTED } from './limits.ts';

/** A list of a server as it is read, page by page. */
export interface BoundedList<T> {
  readonly items: readonly T[];
  /** Takes what is not too large. False when there are as many as a server may have: no more is wanted. */
  add(page: readonly T[]): boolean;
}

/** `onLeftOut` hears of what is not taken, in words that go on from the server's name and are always the same. */
export function boundedList<T>(kind: string, onLeftOut: (what: string) => void): BoundedList<T> {
  const items: T[] = [];
  return {
    items,
    add(page) {
      for (const item of page) {
        if (items.length === MAX_LISTED) {
          onLeftOut(`has more than ${MAX_LISTED} ${kind}: the others are left out`);
          return false;
        }
        if (isFit(item)) items.push(item);
        else onLeftOut(`has ${kind} that are too large: those over ${LARGEST} are left out`);
      }
      return true;
    },
  };
}

/** A description as the model may see it. */
export function cutDescription(text: string): string {
  return text.length <= MAX_DESCRIPTION_CHARS ? text : `${text.slice(0, MAX_DESCRIPTION_CHARS)}\n[… cut here …]`;
}

const LARGEST = `${MAX_ITEM_CHARS} characters or ${MAX_ITEM_DEPTH} levels of JSON`;

function isFit(item: unknown): boolean {
  return isShallow(item, MAX_ITEM_DEPTH) && JSON.stringify(item).length <= MAX_ITEM_CHARS;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
