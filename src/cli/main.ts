import { runHelp } from './commands/all-help.ts';
import { printHints, refuseNearCommand, refuseUnknownHelp } from './commands/mistakes.ts';
import { parseArgs } from './flags/args.ts';
import { refuseReferenceCommand } from './flags/reference-commands.ts';
import { printVersion } from './print-version.ts';

/**
 * Dispatches on the first words; `src/cli/start.ts` has already handled `--version`. A run and each command are loaded
 * only when they are called, so that a start costs milliseconds.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [only] = argv;
  const command = only !== undefined && Object.hasOwn(COMMANDS, only) ? COMMANDS[only] : undefined;
  if (command) return command(argv.slice(1));
  if (only !== undefined && /^\w[\w-]*$/.test(only)) {
    refuseReferenceCommand(only);
    if (argv.length === 1) refuseNearCommand(only);
    if (argv.includes('--help') || argv.includes('-h')) refuseUnknownHelp(only);
  }
  const args = parseArgs(argv);
  if (args.version) return printVersion();
  if (args.help) return runHelp([]);
  const { run } = await import('./run/run.ts');
  return run(args);
}

/** Only as the very first word: after a flag the same word is a prompt. */
const COMMANDS: Record<string, (argv: readonly string[]) => Promise<number>> = {
  config: async (argv) => (await import('./commands/config.ts')).runConfig(argv),
  trust: async (argv) => (await import('./commands/trust.ts')).runTrust(argv),
  hooks: async (argv) => (await import('./commands/hooks.ts')).runHooks(argv),
  permissions: async (argv) => (await import('./commands/permissions.ts')).runPermissions(argv),
  sessions: async (argv) => (await import('./commands/sessions/sessions-command.ts')).runSessions(argv),
  mcp: async (argv) => (await import('./commands/mcp/mcp.ts')).runMcp(argv),
  tasks: async (argv) => (await import('./commands/tasks/tasks-command.ts')).runTasks(argv),
  rewind: async (argv) => (await import('./commands/rewind.ts')).runRewind(argv),
  doctor: async (argv) => (await import('./commands/doctor.ts')).runDoctor(argv),
  auth: async (argv) => (await import('./commands/auth/auth.ts')).runAuth(argv),
  shim: async (argv) => (await import('./commands/shim.ts')).runShim(argv),
  help: runHelp,
};

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
    await printHints(error, process.argv.slice(2));
  },
);
