import { COMMAND_HELP, runHelp } from './all-help.ts';
import { runConfig } from './config.ts';
import { refuseMistakenCommand } from './mistakes.ts';
import { runShim } from './shim.ts';
import { runTrust } from './trust.ts';

export { mistakeHints } from './mistakes.ts';

/** Resolves with the exit code, or with undefined when the first word is the beginning of a prompt. */
export async function runCommand(argv: readonly string[]): Promise<number | undefined> {
  const [name = '', ...more] = argv;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return command(more);
  refuseMistakenCommand(name, argv);
  return undefined;
}

const COMMANDS: Record<string, (argv: readonly string[]) => Promise<number>> = {
  attach: async (argv) => (await import('./attach.ts')).runAttach(argv),
  config: runConfig,
  trust: runTrust,
  hooks: async (argv) => (await import('./hooks.ts')).runHooks(argv),
  permissions: async (argv) => (await import('./permissions.ts')).runPermissions(argv),
  sessions: async (argv) => (await import('./sessions/sessions-command.ts')).runSessions(argv),
  mcp: async (argv) => (await import('./mcp/mcp.ts')).runMcp(argv),
  plugin: async (argv) => (await import('./plugin/plugin.ts')).runPlugin(argv),
  plugins: async (argv) => (await import('./plugin/plugin.ts')).runPlugin(argv),
  tasks: async (argv) => (await import('./tasks/tasks-command.ts')).runTasks(argv),
  rewind: async (argv) => (await import('./rewind.ts')).runRewind(argv),
  doctor: async (argv) => (await import('./doctor.ts')).runDoctor(argv),
  acp: async (argv) => (await import('./acp.ts')).runAcp(argv),
  serve: async (argv) => (await import('./serve.ts')).runServe(argv),
  web: async (argv) => (await import('./web.ts')).runWeb(argv),
  stats: async (argv) => (await import('./stats/stats-command.ts')).runStats(argv),
  models: async (argv) => (await import('./models.ts')).runModels(argv),
  auth: async (argv) => (await import('./auth/auth.ts')).runAuth(argv),
  completion: async (argv) => (await import('./completion/completion-command.ts')).runCompletion(argv, COMMAND_HELP),
  shim: runShim,
  help: runHelp,
};
