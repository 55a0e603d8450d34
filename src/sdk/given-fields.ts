import type { JsonObject } from '../util/json.ts';

/** The fields without the undefined ones: on the wire, an absent field differs from null. */
export function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
