import type { ContentBlock } from './content.ts';

/** The texts of a message: the string itself, or the texts of its text blocks. */
export function textsOf(content: string | readonly ContentBlock[]): string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

/** The texts of a message, joined with `between`. */
export function textOf(content: string | readonly ContentBlock[], between = '\n'): string {
  return textsOf(content).join(between);
}
