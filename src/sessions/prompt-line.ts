import { cutText } from '../util/text/cut-text.ts';
import type { Entry } from '../wire/entries.ts';
import { promptOf } from './entry-texts.ts';

/** The user's prompt in this entry, on one line and cut to the length that a list can show. */
export function promptLine(entry: Entry): string | undefined {
  const prompt = entry.isSidechain === true ? null : promptOf(entry);
  return prompt === null ? undefined : cut(oneLine(prompt));
}

/** A text as the entry of a prompt. */
export function asPrompt(content: string): Entry {
  return { type: 'user', message: { role: 'user', content } };
}

function oneLine(text: string): string {
  // A prompt may be megabytes long; joining blanks may halve it, rarely more.
  const start = text.length > MAX_PROMPT * 8 ? text.slice(0, MAX_PROMPT * 8) : text;
  return start.trim().replace(LAYOUT, ' ');
}

/** Blanks that would change the layout. It does not match every single space: most are plain, and replacing is slow. */
const LAYOUT = /[^\S ]\s*| \s+/g;

function cut(line: string): string {
  if (line.length <= MAX_PROMPT) return line;
  // Goes through bytes: a slice would keep the whole prompt in memory.
  return `${Buffer.from(cutText(line, MAX_PROMPT)).toString()}…`;
}

const MAX_PROMPT = 200;
