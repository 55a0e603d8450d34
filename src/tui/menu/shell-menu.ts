import type { Completion, CompletionItem, EarlierPrompt } from '../focus/focus-state.ts';
import type { Asked } from './asked-at.ts';
import type { FileAnswer } from './mention-menu.ts';

interface ShellKnowledge {
  /** All that is written. */
  readonly text: string;
  readonly files: FileAnswer | null;
  /** Oldest first. */
  readonly history: readonly EarlierPrompt[];
  /** A path as one word of a shell. */
  readonly quote: (path: string) => string;
}

const MAX_COMMANDS = 5;
const MAX_FILES = 20;

/** The menu of a shell command: earlier ones that begin so, then paths for its last word. Enter runs what is written. */
export function shellMenu(
  { query, from, to }: Extract<Asked, { kind: 'shell' }>,
  { text, files, history, quote }: ShellKnowledge,
): Completion | null {
  const items = [...earlier(text, history).map((each) => ({ ...each, insert: each.insert.slice(from) }))];
  // The first word is a program; a path follows it.
  const isPath = query !== '' && (/\s/.test(text.trimStart()) || query.includes('/'));
  const fitting = isPath && files?.query === query ? files.suggestions.slice(0, MAX_FILES) : [];
  for (const { path, is_directory, positions } of fitting) {
    if (/\p{Cc}|\p{Cs}/u.test(path)) continue;
    const insert = `${quote(path)}${is_directory ? '' : ' '}`;
    if (insert.trimEnd() !== query)
      items.push({ label: path, insert, onEnter: 'send', ...(positions && { positions }) });
  }
  return items.length === 0 ? null : { from, to, items };
}

/** Earlier shell commands that begin with what is written, the newest first. */
function earlier(text: string, history: readonly EarlierPrompt[]): CompletionItem[] {
  const found = new Set<string>();
  for (let at = history.length - 1; at >= 0 && found.size < MAX_COMMANDS; at--) {
    const before = history[at]?.text ?? '';
    if (before !== text && before.startsWith(text) && !before.includes('\n')) found.add(before);
  }
  return [...found].map((command) => ({ label: command, detail: 'earlier', insert: command, onEnter: 'send' }));
}
