import { firstWords } from '../terminal-text.ts';
import { inputText, type Part } from './conversation-parts.ts';

export interface MarkdownSession {
  sessionId: string;
  title: string;
  /** Shown in this order: when, where, which model. */
  details: readonly (readonly [name: string, value: string])[];
  /** The conversation first, then other branches and subagents, each under its own heading. */
  sections: readonly { heading: string; parts: AsyncIterable<Part> }[];
}

/** A session as a Markdown document: its paragraphs, to be separated by empty lines. */
export async function* exportMarkdown(session: MarkdownSession): AsyncGenerator<string, void> {
  const { sessionId, title, details, sections } = session;
  const list = [['session', `\`${sessionId}\``] as const, ...details].map(([name, value]) => `- ${name}: ${value}`);
  yield `# ${firstWords(title, 200)}`;
  yield list.join('\n');
  for (const { heading, parts } of sections) {
    if (sections.length > 1) yield `## ${heading}`;
    for await (const part of parts) yield partMarkdown(part);
  }
}

function partMarkdown(part: Part): string {
  switch (part.kind) {
    case 'prompt':
      return `### You\n\n${part.text.trim()}`;
    case 'answer':
      return `### Agent\n\n${part.text.trim()}`;
    case 'thinking':
      return details('Thinking', fenced(part.text));
    case 'call':
      return callMarkdown(part);
    case 'error':
      return `> **Error:** ${quoted(part.text)}`;
    case 'compaction':
      return details('Compacted: the summary of what came before', fenced(part.text));
    case 'note':
      return `> ${quoted(part.text)}`;
  }
}

function callMarkdown({ name, input, result }: Part & { kind: 'call' }): string {
  const call = fenced(JSON.stringify(input, null, 2) ?? '');
  const output = fenced(result === null ? '(no result: the run ended before)' : result.text);
  const title = result?.isError ? 'Error:' : 'Result:';
  return details(`${name}: ${firstWords(inputText(input), 100)}`, [call, title, output].join('\n\n'));
}

/** Folded, so that the conversation stays readable. */
function details(summary: string, body: string): string {
  return ['<details>', `<summary>${escaped(summary)}</summary>`, '', body, '', '</details>'].join('\n');
}

/** Uses a fence longer than any inside the text. */
function fenced(text: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function quoted(text: string): string {
  return text.trim().replaceAll('\n', '\n> ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
