import { endWith } from './end-with.ts';
import { parseArgs } from './flags/args.ts';
import { isInteractive } from './flags/is-interactive.ts';
import { printVersion } from './print-version.ts';
import { run } from './run/run.ts';

/** `src/cli/start.ts` calls it; it has already handled `--version`. Never rejects. */
export function main(argv: readonly string[]): Promise<void> {
  return endWith(() => runCommandLine(argv), argv);
}

/**
 * Runs a command or a prompt. The code of commands is loaded when the first word may be one, so that a prompt does not pay
 * for it.
 */
async function runCommandLine(argv: readonly string[]): Promise<number> {
  // Editors wait for it, and it needs nothing of the other commands.
  if (argv[0] === 'acp') return (await import('./commands/acp.ts')).runAcp(argv.slice(1));
  // Only as the very first word: after a flag the same word is a prompt.
  const code = /^\w[\w-]*$/.test(argv[0] ?? '') ? await (await commands()).runCommand(argv) : undefined;
  if (code !== undefined) return code;
  const args = parseArgs(argv);
  if (args.version) return printVersion();
  if (args.help) return (await (await commands()).runCommand(['help'])) ?? 0;
  if (args.background) return (await import('./run/background.ts')).runInBackground(args, argv);
  return isInteractive(args) ? (await import('./interactive.ts')).runInteractive(args) : run(args);
}

function commands() {
  return import('./commands/commands.ts');
}
