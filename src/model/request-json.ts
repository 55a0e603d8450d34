/** A result per argument object, for as long as that object lives. */
export function remember<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}

/**
 * JSON that strict parsers accept: half a surrogate pair, as a cut-off tool output may hold, is replaced. JSON.stringify
 * writes such halves, and nothing else, as `\ud…` escapes.
 */
export function encodeJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
}
