import { type Engine, openEngine } from '../../host/engine.ts';
import type { KeyProvider } from '../../host/models.ts';
import { KEY_PROVIDERS } from '../../host/stored-keys.ts';
import { usage } from '../args.ts';
import { type CommandArgs, type OwnFlag, parseCommandArgs } from '../command-args.ts';
import { createLogger } from '../logger.ts';
import { wrapLogger } from '../wrap-logger.ts';
import { defineGroup } from './action-group.ts';
import { chooseAction } from './choose-action.ts';
import { sayHelp } from './terminal.ts';

/** One of the commands of `heddle auth`. */
export interface AuthAction {
  help: string;
  flags: Readonly<Record<string, OwnFlag>>;
  /** The flags of a run that mean the same here. */
  run?: readonly string[];
  /** Resolves with the exit code. */
  act(args: CommandArgs, engine: Engine): Promise<number>;
}

export const AUTH = defineGroup<AuthAction>({
  group: 'auth',
  about: `Stores the API key of a model provider in the config home, for every run and every program that uses
Heddle there. Signing in to MCP servers is heddle mcp login.`,
  commands: {
    status: {
      does: 'whether a run here has a credential, and which',
      load: async () => (await import('./auth-status.ts')).status,
    },
    login: { does: 'store an API key', load: async () => (await import('./auth-login.ts')).login },
    logout: { does: 'remove what login has stored', load: async () => (await import('./auth-logout.ts')).logout },
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
  const chosen = await chooseAction(argv, AUTH);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  const args = parseCommandArgs(rest, { command: `heddle auth ${name}`, own: action.flags, run: action.run ?? [] });
  if (!args) {
    await sayHelp(action.help);
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

/** The provider that `--provider` names; null when it names none. */
export function providerOf({ text }: CommandArgs): KeyProvider | null {
  const given = text('--provider');
  if (given === undefined) return null;
  const provider = KEY_PROVIDERS.find((each) => each === given);
  if (provider) return provider;
  const choices = KEY_PROVIDERS.join(', ');
  throw usage(`option '--provider' argument '${given}' is invalid. Allowed choices are ${choices}.`);
}
