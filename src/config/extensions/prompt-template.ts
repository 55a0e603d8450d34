import { type ShellFence, shellFences } from './shell-fences.ts';

/** A piece of a command's text: words, or a shell command that its output replaces. */
export type Piece = { kind: 'text' | 'command'; text: string };

/** The values for the placeholders of a text. */
export interface Filling {
  /** The arguments, as the user typed them. */
  args: string;
  /** By name, as in `${CLAUDE_PLUGIN_ROOT}`. Other names stay unchanged. */
  variables: Readonly<Record<string, string>>;
}

/** A shell command is `!` and backquotes at the beginning of a line or after a blank, or a fence of its own. */
const COMMAND = /(?<=^|\s)!`([^`\n]+)`/gm;

/** The commands of a text, as they are written. */
export function shellCommands(text: string): string[] {
  return split(text).flatMap((piece) => (piece.kind === 'command' ? piece.text : []));
}

/**
 * The text with its placeholders filled in.
 * - `$ARGUMENTS` is everything, `$ARGUMENTS[0]` and `$1` the first word; a text that contains `$0` counts from 0.
 * - Values are never parsed again: an argument cannot add a command or a placeholder.
 * - Arguments that no placeholder uses are appended, so that they are not lost.
 */
export function fillIn(text: string, { args, variables }: Filling): Piece[] {
  const words = splitWords(args);
  const first = /\$0(?!\d)/.test(text) ? 0 : 1;
  let isUsed = false;
  const fill = (part: string) =>
    part.replaceAll(PLACEHOLDER, (written, index?: string, position?: string, name?: string) => {
      if (name !== undefined) return (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? written;
      isUsed = true;
      if (position !== undefined) return words[Number(position) - first] ?? written;
      return index === undefined ? args : (words[Number(index)] ?? written);
    });
  const pieces = split(text).map((piece): Piece => ({ ...piece, text: fill(piece.text) }));
  if (args === '' || isUsed) return pieces;
  return [...pieces, { kind: 'text', text: `${text.endsWith('\n') ? '' : '\n'}\nARGUMENTS: ${args}` }];
}

const PLACEHOLDER = /\$ARGUMENTS(?:\[(\d+)\])?|\$(\d+)|\$\{(CLAUDE_[A-Z_]+)\}/g;

function split(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { start, end, command } of commandsIn(text)) {
    pieces.push({ kind: 'text', text: text.slice(from, start) }, { kind: 'command', text: command });
    from = end;
  }
  pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces.filter((piece) => piece.text !== '');
}

/** In the order of the text. A command within a fence of shell lines belongs to the fence. */
function commandsIn(text: string): ShellFence[] {
  const fences = shellFences(text);
  const inline = [...text.matchAll(COMMAND)].map(({ index: start, 0: whole, 1: command = '' }): ShellFence => {
    return { start, end: start + whole.length, command };
  });
  const own = inline.filter(({ start }) => !fences.some((fence) => fence.start <= start && start < fence.end));
  return [...fences, ...own].sort((a, b) => a.start - b.start);
}

/** Splits as a shell does: at blanks, except in quotes. */
function splitWords(text: string): string[] {
  const words = text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/g);
  return [...words].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_all, double?: string, single?: string, escaped?: string) => {
        return double?.replaceAll(/\\(.)/g, '$1') ?? single ?? escaped ?? '';
      },
    ),
  );
}
