/**
 * Caches one result per object, for as long as the object lives. The other arguments must always be the same for that
 * object.
 */
export function remember<Key extends object, Value, More extends unknown[]>(
  make: (key: Key, ...more: More) => Value,
): (key: Key, ...more: More) => Value {
  const known = new WeakMap<Key, Value>();
  return (key, ...more) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key, ...more);
      known.set(key, value);
    }
    return value;
  };
}

/**
 * JSON that strict parsers accept: half a surrogate pair, as a truncated tool output may contain, is replaced.
 * JSON.stringify writes only such halves as `\ud…` escapes.
 */
export function encodeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
}
