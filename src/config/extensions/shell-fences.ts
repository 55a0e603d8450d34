/** Lines of shell in a text, with their position: their output replaces everything between start and end. */
export interface ShellFence {
  start: number;
  end: number;
  command: string;
}

/**
 * The fenced blocks of a Markdown text that open with three backquotes and `!`. A block within another block is an
 * example, and an unclosed block is text.
 */
export function shellFences(text: string): ShellFence[] {
  if (!text.includes('```!')) return []; // cheap test first: hardly any file has a fence
  const fences: ShellFence[] = [];
  let open: OpenFence | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const [, indent = '', ticks, rest = ''] = FENCE.exec(line) ?? [];
    if (open) {
      if (ticks !== undefined && rest === '' && ticks.length >= open.ticks.length && ticks[0] === open.ticks[0]) {
        if (open.isShell) fences.push({ start: open.start, end, command: open.lines.join('\n').trim() });
        open = null;
      } else {
        open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
      }
    } else if (ticks !== undefined) {
      const start = at + indent.length;
      const onItsLine = ONE_LINE.exec(rest)?.[1];
      if (onItsLine !== undefined) fences.push({ start, end, command: onItsLine.trim() });
      else if (!rest.includes('`')) open = opened({ start, indent, ticks, rest });
    }
    at = end + 1;
  }
  return fences.filter(({ command }) => command !== '');
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})(.*?)[ \t]*$/;
/** After the opening fence: a whole command that is closed on the same line. */
const ONE_LINE = /^!([^`].*?)`{3,}$/;
/** After the exclamation mark: the language of the lines, as in any fence. */
const LANGUAGE = /^(?:ba|z)?sh$|^shell$/;

interface OpenFence {
  start: number;
  indent: string;
  ticks: string;
  isShell: boolean;
  lines: string[];
}

function opened({ rest, ...place }: Pick<OpenFence, 'start' | 'indent' | 'ticks'> & { rest: string }): OpenFence {
  const isShell = rest.startsWith('!') && place.ticks.startsWith('`');
  const first = rest.slice(1).trim();
  return { ...place, isShell, lines: LANGUAGE.test(first) ? [] : [first] };
}
