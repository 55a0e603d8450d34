import type { ParsedArgs } from './args.ts';

/**
 * A person at a terminal, who wants no format for programs, has the terminal; a prompt is optional then. A plain terminal
 * is a session only without a prompt: with one it is a run.
 */
export function isInteractive(args: ParsedArgs): boolean {
  const { print, outputFormat = 'text', inputFormat = 'text', initOnly } = args.config;
  if (print || outputFormat !== 'text' || inputFormat !== 'text' || initOnly) return false;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return isTerminal && (args.prompt === undefined || whyPlain(args, process.env) === null);
}

/** Why the terminal adds lines and draws nothing, for its first line; null: it draws. */
export function whyPlain(
  { plain }: Pick<ParsedArgs, 'plain'>,
  { TERM, HEDDLE_UI, CLAUDE_AX_SCREEN_READER, INSIDE_EMACS }: NodeJS.ProcessEnv,
): string | null {
  if (plain) return plain === '--plain' ? '--plain' : 'a screen reader (--ax-screen-reader)';
  if (CLAUDE_AX_SCREEN_READER === '1') return 'a screen reader (CLAUDE_AX_SCREEN_READER)';
  if (HEDDLE_UI === 'plain') return 'HEDDLE_UI=plain';
  if (TERM === 'dumb') return INSIDE_EMACS ? 'a shell of Emacs' : 'TERM=dumb';
  return null;
}
