import type { Place } from './place.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What differs from run to run by its nature. Costs, tokens and everything else must be equal. */
const VOLATILE: Record<string, string> = {
  duration_ms: '<ms>',
  duration_api_ms: '<ms>',
  durationMs: '<ms>',
  totalAPIDuration: '<ms>',
  ttft_ms: '<ms>',
  ttft_stream_ms: '<ms>',
  time_to_request_ms: '<ms>',
  timestamp: '<time>',
  slug: '<plan name>',
};

/**
 * Replaces ids by the order of their first use, so that equal ids stay equal, and the place's directory by `<root>`.
 * One normaliser for all that belongs together: an id means the same in a line, in the file and in a request.
 */
export function createNormaliser(place: Place): (value: unknown) => unknown {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
    ids.set(id, known);
    return known;
  };
  const normalise = (value: unknown, key = ''): unknown => {
    if (Object.hasOwn(VOLATILE, key)) return VOLATILE[key];
    if (typeof value === 'string') return value.replaceAll(place.root, '<root>').replace(UUID, numbered);
    if (Array.isArray(value)) return value.map((item) => normalise(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalise(inner, name)]));
  };
  return (value) => normalise(value);
}
