import { HeddleError } from '../wire/errors.ts';
import { type ParsedArgs, parseArgs } from './flags/args.ts';
import { printVersion } from './print-version.ts';
import { run } from './run/run.ts';

/**
 * Runs a command or a prompt; `src/cli/start.ts` has already handled `--version`. The code of commands is loaded when the
 * first word may be one, so that a prompt does not pay for it.
 */
async function main(argv: readonly string[]): Promise<number> {
  // Editors wait for it, and it needs nothing of the other commands.
  if (argv[0] === 'acp') return (await import('./commands/acp.ts')).runAcp(argv.slice(1));
  // Only as the very first word: after a flag the same word is a prompt.
  const code = /^\w[\w-]*$/.test(argv[0] ?? '') ? await (await commands()).runCommand(argv) : undefined;
  if (code !== undefined) return code;
  const args = parseArgs(argv);
  if (args.version) return printVersion();
  if (args.help) return (await (await commands()).runCommand(['help'])) ?? 0;
  if (args.background) return (await import('./background.ts')).runInBackground(args, argv);
  return isInteractive(args) ? (await import('./interactive.ts')).runInteractive(args) : run(args);
}

/** A person at a terminal, who wants no format for programs, has the terminal; a prompt is optional then. */
function isInteractive({ config }: ParsedArgs): boolean {
  const { print, outputFormat = 'text', inputFormat = 'text', initOnly } = config;
  if (print || outputFormat !== 'text' || inputFormat !== 'text' || initOnly) return false;
  const { TERM, HEDDLE_UI } = process.env;
  return process.stdin.isTTY && process.stdout.isTTY && TERM !== 'dumb' && HEDDLE_UI !== 'plain';
}

function commands() {
  return import('./commands/commands.ts');
}

/** Hints after the message of an error that ended the program: advice for a HeddleError; any other error is a bug. */
async function hintsFor(error: unknown, argv: readonly string[]): Promise<string[]> {
  if (HeddleError.isInstance(error)) {
    const isAboutWords = error.facts.unknown !== undefined || error.facts.missing !== undefined;
    return isAboutWords ? (await commands()).mistakeHints(error.facts, argv) : [];
  }
  if (!(error instanceof Error)) return [];
  if ('syscall' in error && error.syscall === 'uv_cwd') return ['The current directory is gone: change to another one'];
  // A system error already names the file and the reason; a stack would not help.
  if ('syscall' in error && 'code' in error) return ['heddle doctor checks what a run needs on this machine'];
  return [String(error.stack)];
}

// A reader that closes early (`| head`) is not an error worth a stack.
process.stdout.on('error', () => {
  process.exitCode = 1;
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  async (error: unknown) => {
    process.exitCode = 1;
    const message = error instanceof Error ? error.message : String(error);
    // One prefix for all messages, except the text that programs search for.
    const isFixed = message.startsWith('Error: When using --print');
    process.stderr.write(`${isFixed ? message : `heddle: ${message.replace(/^Error: /, '')}`}\n`);
    for (const line of await hintsFor(error, process.argv.slice(2))) process.stderr.write(`${line}\n`);
  },
);
