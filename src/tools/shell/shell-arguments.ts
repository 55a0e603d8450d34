import { MARK_BY_LIMIT } from '../../util/process/process-mark.ts';
import { REPORT_FD } from '../../util/process/process-output.ts';

/**
 * `plain`: the command alone, for commands that leave no processes or files. `marked`: every process that it starts can
 * be found again. `reporting`: marked, and the shell reports the directory in which it ends.
 */
export type ShellScript = 'plain' | 'marked' | 'reporting';

/**
 * The arguments of bash that run a command. Through `eval`, so that a syntax error in it is only its own and lines are
 * counted from its first; the words of the script are gone by then. One that ends the shell by `exec`, by a signal
 * or with an EXIT trap of its own reports nothing.
 */
export function shellArgs(command: string, script: ShellScript): string[] {
  if (script === 'plain') return ['-c', command];
  const lines = script === 'reporting' ? [REPORT_DIRECTORY, MARK_BY_LIMIT, RUN] : [MARK_BY_LIMIT, RUN];
  return ['-c', lines.join('; '), '/bin/bash', command];
}

/** In a group of its own for the sake of `set -x`; the exit code of the shell stays. */
const REPORT_DIRECTORY = `trap '{ builtin pwd -P >&${REPORT_FD} || :; } 2>/dev/null' EXIT`;
const RUN = 'HEDDLE_COMMAND=$1; shift; eval -- "$HEDDLE_COMMAND"';

/** The directory in a report; null without a report. */
export function reportedDirectory(report: string | undefined): string | null {
  // Only the last newline is the shell's: a name may hold others.
  return report?.startsWith('/') && report.endsWith('\n') ? report.slice(0, -1) : null;
}
