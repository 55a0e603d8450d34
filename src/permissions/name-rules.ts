/**
 * Whether a rule's content names what is called: `review` itself, and with `review:*` or `review *` also what lies below
 * it, as the skills of a plugin do. What it is called with plays no part. `read`: how names are compared.
 */
export function namesCalled(content: string, called: string, read = (name: string) => name): boolean {
  const spec = content.trim().replace(/^\//, '');
  const family = /^(.*?)(?::\*| \*)$/.exec(spec)?.[1];
  const name = read(called);
  if (family === undefined) return read(spec) === name;
  return name === read(family) || name.startsWith(`${read(family)}:`);
}

/** A name as models may write it: `general_purpose` is `general-purpose`. What forbids something reads names so. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
