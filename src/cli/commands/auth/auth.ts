import { openEngine } from '../../../host/engine/engine.ts';
import { parseCommandArgs } from '../../flags/command-args.ts';
import { createLogger } from '../../terminal/logger.ts';
import { printHelp } from '../../terminal/terminal.ts';
import { wrapLogger } from '../../terminal/wrap-logger.ts';
import { chooseCommand } from '../choose-command.ts';
import { defineGroup } from '../command-group.ts';
import type { AuthAction } from './auth-action.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { status } from './status.ts';

export const AUTH = defineGroup<AuthAction>({
  group: 'auth',
  about: `Stores the API key of a model provider in the config home, for every run and every program that uses
Heddle there. Signing in to MCP servers is heddle mcp login.`,
  commands: {
    status: { does: 'whether a run here has a credential, and which', action: status },
    login: { does: 'store an API key', action: login },
    logout: { does: 'remove what login has stored', action: logout },
  },
  notes: `Which credential counts: the environment (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN; OPENAI_API_KEY),
then apiKeyHelper of the settings (Anthropic only), then the stored key. A stored key is sent to the
server that it was stored for, and to no other. No key is ever printed.

Each takes --help.`,
  examples: ['auth login', 'auth login --provider openai --stdin < key.txt', 'auth status', 'auth logout'],
  exitCodes: '0 done, 1 an error; status: 1 when there is no credential.',
});

/** `heddle auth …`; resolves with the exit code. */
export async function runAuth(argv: readonly string[]): Promise<number> {
  const chosen = await chooseCommand(argv, AUTH);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const args = parseCommandArgs(rest, { command: `heddle auth ${name}`, own: action.flags, run: action.run ?? [] });
  if (!args) {
    printHelp(action.help);
    return 0;
  }
  const logger = wrapLogger(createLogger(args.config));
  const engine = openEngine({ cwd: process.cwd(), env: process.env, log: logger.log });
  try {
    return await action.act(args, engine);
  } finally {
    await engine.close();
    logger.close();
  }
}
