import { cutText } from '../util/cut-text.ts';
import type { Entry } from '../wire/entries.ts';
import { promptOf } from './entry-text.ts';

/** What the user asked in this entry, on one line and cut to what a list can show. */
export function promptLine(entry: Entry): string | undefined {
  const prompt = entry.isSidechain === true ? null : promptOf(entry);
  return prompt === null ? undefined : cut(oneLine(prompt));
}

/** A text as the prompt that it was. */
export function asPrompt(content: string): Entry {
  return { type: 'user', message: { role: 'user', content } };
}

function oneLine(text: string): string {
  // A prompt may be megabytes long; blanks that are joined may halve it, rarely more.
  const start = text.length > MAX_PROMPT * 8 ? text.slice(0, MAX_PROMPT * 8) : text;
  return start.trim().replace(LAYOUT, ' ');
}

/** Blanks that would not be shown as they are. Not every single one: most are plain, and replacing is slow. */
const LAYOUT = /[^\S ]\s*| \s+/g;

function cut(line: string): string {
  if (line.length <= MAX_PROMPT) return line;
  // By way of bytes: a slice would keep the whole prompt in memory.
  return `${Buffer.from(cutText(line, MAX_PROMPT)).toString()}…`;
}

const MAX_PROMPT = 200;
