import { HeddleError } from '../wire/errors.ts';

/** Runs the program; its exit code is what `run` resolves with. It reports a failure on stderr, with what to do. */
export async function endWith(run: () => Promise<number>, argv: readonly string[]): Promise<void> {
  // A reader that closes early (`| head`) is not an error worth a stack.
  process.stdout.on('error', () => {
    process.exitCode = 1;
  });
  try {
    process.exitCode = await run();
  } catch (error) {
    process.exitCode = 1;
    const message = error instanceof Error ? error.message : String(error);
    // One prefix for all messages, except the text that programs search for.
    const isFixed = message.startsWith('Error: When using --print');
    process.stderr.write(`${isFixed ? message : `heddle: ${message.replace(/^Error: /, '')}`}\n`);
    for (const line of await hintsFor(error, argv)) process.stderr.write(`${line}\n`);
  }
}

/** Hints after the message of an error that ended the program: advice for a HeddleError; any other error is a bug. */
async function hintsFor(error: unknown, argv: readonly string[]): Promise<string[]> {
  if (HeddleError.isInstance(error)) {
    const isAboutWords = error.facts.unknown !== undefined || error.facts.missing !== undefined;
    return isAboutWords ? (await import('./commands/commands.ts')).mistakeHints(error.facts, argv) : [];
  }
  if (!(error instanceof Error)) return [];
  if ('syscall' in error && error.syscall === 'uv_cwd') return ['The current directory is gone: change to another one'];
  // A system error already names the file and the reason; a stack would not help.
  if ('syscall' in error && 'code' in error) return ['heddle doctor checks what a run needs on this machine'];
  return [String(error.stack)];
}
