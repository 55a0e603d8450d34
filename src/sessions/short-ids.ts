const LEAST = 8;

/** Cuts ids to beginnings of one length that tell them apart. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  let length = LEAST;
  const longest = Math.max(LEAST, ...ids.map((id) => id.length));
  while (length < longest && new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return (id) => id.slice(0, length);
}
