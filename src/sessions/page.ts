import { HeddleError } from '../wire/errors.ts';

/** `limit` items from `offset` on. */
export function pageOf<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  for (const [name, count] of Object.entries({ limit, offset })) {
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue;
    throw new HeddleError('invalid_option', `${name} must be a whole number, 0 or more, but is ${count}`);
  }
  return items.slice(offset, limit === undefined ? undefined : offset + limit);
}
