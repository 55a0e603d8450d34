import { MAX_DESCRIPTION_CHARS, MAX_ITEM_CHARS, MAX_ITEM_DEPTH, MAX_LISTED } from './limits.ts';

/** A list of a server as it is read, page by page. */
export interface BoundedList<T> {
  readonly items: readonly T[];
  /**
   * Adds the items that are not too large. False when the limit for one server is reached: no further page is needed.
   */
  add(page: readonly T[]): boolean;
}

/**
 * `onLeftOut` is called for items that are left out, always with the same text, which continues a sentence that starts
 * with the server's name.
 */
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
