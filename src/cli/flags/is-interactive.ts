import type { ParsedArgs } from './args.ts';

/** A person at a terminal, who wants no format for programs, has the terminal; a prompt is optional then. */
export function isInteractive({ config }: ParsedArgs): boolean {
  const { print, outputFormat = 'text', inputFormat = 'text', initOnly } = config;
  if (print || outputFormat !== 'text' || inputFormat !== 'text' || initOnly) return false;
  const { TERM, HEDDLE_UI } = process.env;
  return process.stdin.isTTY && process.stdout.isTTY && TERM !== 'dumb' && HEDDLE_UI !== 'plain';
}
