/** The result of a check: the value, or one plain sentence for each problem. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problems: string[] };
