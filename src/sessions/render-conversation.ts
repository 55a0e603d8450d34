import { cutToWidth } from '../util/display-width.ts';
import type { Paint } from '../util/paint.ts';
import { inputText, type Part } from './conversation.ts';
import { firstWords, shownLines } from './shown-text.ts';

export interface ConversationOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
  /** Everything, however long: thoughts, outputs of tools, summaries. */
  everything: boolean;
}

/** A conversation as lines for a terminal. */
export function renderConversation(parts: readonly Part[], options: ConversationOptions): string[] {
  return parts.flatMap((part, at) => {
    const lines = partLines(part, options);
    // Calls stand together; everything else has air around it.
    const isBelowCall = part.kind === 'call' && parts[at - 1]?.kind === 'call';
    return at === 0 || isBelowCall ? lines : ['', ...lines];
  });
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
  const facts = [at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2'), uuid].filter((fact) => fact !== '');
  return `${paint.bold(who)}${paint.dim(facts.map((fact) => `  ${firstWords(fact, 40)}`).join(''))}`;
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
  const lines = text === '' ? [] : shownLines(text);
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `… ${more} more ${more === 1 ? 'line' : 'lines'}`] : lines;
}
