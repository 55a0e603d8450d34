/**
 * Whether a rule's content names what is called: `review` itself, and with `review:*` or `review *` also what lies below
 * it, as the skills of a plugin do. What it is called with plays no part.
 */
export function namesCalled(content: string, name: string): boolean {
  const spec = content.trim().replace(/^\//, '');
  const family = /^(.*?)(?::\*| \*)$/.exec(spec)?.[1];
  if (family === undefined) return spec === name;
  return name === family || name.startsWith(`${family}:`);
}
