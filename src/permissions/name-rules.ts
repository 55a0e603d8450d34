/**
 * Whether a rule's content names the called skill, command or agent: `review` itself, and with `review:*` or `review *`
 * also names below it, such as the skills of a plugin. Arguments are ignored. `read` normalizes names before they are
 * compared.
 */
export function namesCalled(content: string, called: string, read = (name: string) => name): boolean {
  const spec = content.trim().replace(/^\//, '');
  const family = /^(.*?)(?::\*| \*)$/.exec(spec)?.[1];
  const name = read(called);
  if (family === undefined) return read(spec) === name;
  return name === read(family) || name.startsWith(`${read(family)}:`);
}

/**
 * A name as models may write it: `general_purpose` is `general-purpose`. Rules that forbid compare names in this form.
 */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
