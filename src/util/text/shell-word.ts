/** A text as a shell takes it for one word, for command lines that people copy: quoted only where it has to be. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : shellQuoted(text);
}

/** In quotes within which nothing has a meaning. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
