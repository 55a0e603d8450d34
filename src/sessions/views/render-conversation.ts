import { cutToWidth } from '../../util/text/display-width.ts';
import type { Paint } from '../../util/text/paint.ts';
import { firstLines, firstWords, shownLines } from '../terminal-text.ts';
import { inputText, type Part } from './conversation-parts.ts';

export interface ConversationOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
  /** Shows everything in full: thoughts, outputs of tools, summaries. */
  everything: boolean;
}

/** A conversation as lines for a terminal, part by part. */
export async function* renderConversation(
  parts: AsyncIterable<Part>,
  options: ConversationOptions,
): AsyncGenerator<string[], void> {
  let before: Part['kind'] | null = null;
  for await (const part of parts) {
    const lines = partLines(part, options);
    // Consecutive calls are not separated; all other parts have an empty line around them.
    const isBelowCall = part.kind === 'call' && before === 'call';
    yield before === null || isBelowCall ? lines : ['', ...lines];
    before = part.kind;
  }
}

function partLines(part: Part, options: ConversationOptions): string[] {
  const { paint, everything } = options;
  switch (part.kind) {
    case 'prompt':
      return [heading('You', part, options), ...shownLines(part.text)];
    case 'answer':
      return [heading('Agent', part, options), ...shownLines(part.text.trim())];
    case 'call':
      return callLines(part, options);
    case 'thinking':
      return shortened(part.text, everything ? Number.POSITIVE_INFINITY : 1).map((line) => paint.dim(`∴ ${line}`));
    case 'error':
      return shownLines(part.text).map((line) => paint.red(line));
    case 'compaction':
      return [
        paint.yellow('── compacted: what came before was summed up ──'),
        ...shortened(part.text, everything ? Number.POSITIVE_INFINITY : 6).map((line) => paint.dim(line)),
      ];
    case 'note':
      return shownLines(part.text).map((line) => paint.dim(line));
  }
}

function heading(who: string, { uuid, at }: { uuid: string; at: string }, { paint }: ConversationOptions): string {
  const details = [at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2'), uuid].filter((fact) => fact !== '');
  return `${paint.bold(who)}${paint.dim(details.map((fact) => `  ${firstWords(fact, 40)}`).join(''))}`;
}

function callLines({ name, input, result }: Part & { kind: 'call' }, options: ConversationOptions): string[] {
  const { paint, width, everything } = options;
  const title = `⏺ ${firstWords(name, 40)}`;
  const call = everything
    ? [paint.cyan(title), ...shownLines(inputText(input)).map((line) => `  ${line}`)]
    : [`${paint.cyan(title)} ${firstWords(inputText(input), Math.max(20, width - title.length - 1))}`];
  if (result === null) return [...call, paint.yellow('  (no result: the run ended before)')];
  const style = result.isError ? paint.red : paint.dim;
  const output = shortened(result.text.trimEnd(), everything ? Number.POSITIVE_INFINITY : 5);
  const shown = everything ? output : output.map((line) => cutToWidth(line, Math.max(20, width - 2)));
  return [...call, ...shown.map((line) => style(`  ${line}`))];
}

/** The first lines, and how many more there are. */
function shortened(text: string, most: number): string[] {
  if (text === '') return [];
  const { lines, count } = firstLines(text, most);
  const more = count - most;
  return more > 0 ? [...lines, `… ${more} more ${more === 1 ? 'line' : 'lines'}`] : lines;
}
