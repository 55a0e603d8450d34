import { HEDDLE_VERSION, WIRE_VERSION } from '../wire/version.ts';

/**
 * The first branch. Answers that need no engine are given before anything else is loaded; everything else is imported
 * only when it is needed, so that a start costs milliseconds.
 */
async function main(argv: readonly string[]): Promise<number> {
  const [only] = argv;
  if (argv.length === 1 && (only === '-v' || only === '--version')) return printVersion();
  const command = only !== undefined && Object.hasOwn(COMMANDS, only) ? COMMANDS[only] : undefined;
  if (command) return command(argv.slice(1));
  if (only !== undefined && /^\w[\w-]*$/.test(only)) {
    (await import('./reference-commands.ts')).refuseReferenceCommand(only);
    const { refuseNearCommand, refuseUnknownHelp } = await import('./mistakes.ts');
    if (argv.length === 1) refuseNearCommand(only);
    if (argv.includes('--help') || argv.includes('-h')) refuseUnknownHelp(only);
  }
  const { parseArgs } = await import('./args.ts');
  const args = parseArgs(argv);
  if (args.version) return printVersion();
  if (args.help) return (await import('./commands/help.ts')).runHelp([]);
  const { run } = await import('./run.ts');
  return run(args);
}

/** Only as the very first word: after a flag the same word is a prompt. */
const COMMANDS: Record<string, (argv: readonly string[]) => Promise<number>> = {
  config: async (argv) => (await import('./commands/config.ts')).runConfig(argv),
  trust: async (argv) => (await import('./commands/trust.ts')).runTrust(argv),
  hooks: async (argv) => (await import('./commands/hooks.ts')).runHooks(argv),
  permissions: async (argv) => (await import('./commands/permissions.ts')).runPermissions(argv),
  sessions: async (argv) => (await import('./commands/sessions.ts')).runSessions(argv),
  mcp: async (argv) => (await import('./commands/mcp.ts')).runMcp(argv),
  tasks: async (argv) => (await import('./commands/tasks.ts')).runTasks(argv),
  rewind: async (argv) => (await import('./commands/rewind.ts')).runRewind(argv),
  doctor: async (argv) => (await import('./commands/doctor.ts')).runDoctor(argv),
  auth: async (argv) => (await import('./commands/auth.ts')).runAuth(argv),
  shim: async (argv) => (await import('./commands/shim.ts')).runShim(argv),
  help: async (argv) => (await import('./commands/help.ts')).runHelp(argv),
};

function printVersion(): number {
  process.stdout.write(`${WIRE_VERSION} (Heddle ${HEDDLE_VERSION})\n`);
  return 0;
}

// A reader that has seen enough (`| head`) is no error worth a stack.
process.stdout.on('error', () => {
  process.exitCode = 1;
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  async (error: unknown) => {
    process.exitCode = 1;
    // By hand, and first: whatever tells more lies in another chunk.
    const message = error instanceof Error ? error.message : String(error);
    // One prefix for all, but for the text that programs look for (ruling P5).
    const isFixed = message.startsWith('Error: When using --print');
    process.stderr.write(`${isFixed ? message : `heddle: ${message.replace(/^Error: /, '')}`}\n`);
    await (await import('./mistakes.ts')).tellMore(error, process.argv.slice(2));
  },
);
