/** A text as one word of a shell, for command lines that people copy: quoted only where necessary. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : shellQuoted(text);
}

/** In single quotes, within which no character has a special meaning. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
