/** What became of a value that was checked: the value as it is used, or one plain sentence per problem. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problems: string[] };
