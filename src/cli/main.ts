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
  const { parseArgs } = await import('./args.ts');
  const args = parseArgs(argv);
  if (args.version) return printVersion();
  if (args.help) {
    const { helpText } = await import('./help.ts');
    process.stdout.write(helpText());
    return 0;
  }
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
};

function printVersion(): number {
  process.stdout.write(`${WIRE_VERSION} (Heddle ${HEDDLE_VERSION})\n`);
  return 0;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    // By hand: `messageOf` lies in another chunk, and nothing but the version is to be loaded here.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (!isUsageError(error) && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
);

/** An error with a code was written for the user; anything else is a bug and shows its stack. */
function isUsageError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && 'facts' in error;
}
