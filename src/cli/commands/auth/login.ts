import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { addressOf, keyedAddress, keyVariablesOf, storeKey } from '../../../admin/auth.ts';
import type { Env } from '../../../host/engine/environment.ts';
import { originOf } from '../../../host/engine/stored-keys.ts';
import { openLaunchContext } from '../../../host/launch/launch-context.ts';
import { printable } from '../../../util/text/printable.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { usage } from '../../flags/args.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printLines, printRemark } from '../../terminal/terminal.ts';
import { type AuthAction, isKeyProvider, providerOf } from './auth-action.ts';
import { keyEnding } from './status.ts';

const HELP = `Usage: heddle auth login [--provider NAME] [--stdin]

Asks for an API key and stores it in the config home, in a file that only you can read (0600). On
a terminal it is not shown while it is typed or pasted; without one, or with --stdin, it is read
from stdin. The key is for one server: that of ANTHROPIC_BASE_URL or OPENAI_BASE_URL if it is set,
else the provider's own. It replaces the key that was stored for that server.

  --provider   anthropic (default); openai, which is every OpenAI-compatible server; gemini,
               openrouter, or a provider of your settings (modelProviders)
  --stdin      read the key from stdin

Accounts are not signed in to: --claudeai, --console, --sso and --email say so.

Examples:
  heddle auth login
  heddle auth login --provider openai --stdin < key.txt
  heddle auth login --provider gemini

Exit codes: 0 stored, 1 an error, or no key was given, 130 after Ctrl-C.
`;

/** Flags of the reference, for sign-ins that Heddle does not have. */
const ACCOUNT_FLAGS = ['--claudeai', '--console', '--sso'];

export const login: AuthAction = {
  help: HELP,
  flags: {
    '--provider': 'text',
    '--stdin': 'switch',
    '--email': 'text',
    ...Object.fromEntries(ACCOUNT_FLAGS.map((flag) => [flag, 'switch' as const])),
  },
  async act(args, engine) {
    takeWords(args.words, []);
    const account = [...ACCOUNT_FLAGS, '--email'].find((flag) => args.has(flag));
    if (account !== undefined) {
      throw usage(`${account} is for accounts, and Heddle stores an API key: run heddle auth login without it`);
    }
    const { env, configuration } = await openLaunchContext(engine, { config: args.config });
    const provider = providerOf(args, env) ?? 'anthropic';
    const address = isKeyProvider(provider) ? addressOf(provider, env) : (keyedAddress(provider, env) ?? '');
    const origin = originOf(address);
    if (origin === null)
      throw new HeddleError('invalid_option', `The address of ${provider} is no URL: ${printable(address)}`);
    const given = args.has('--stdin') || !process.stdin.isTTY ? await readInput() : await askFor(origin);
    if (given === null) return INTERRUPTED;
    const apiKey = checkedKey(given);
    const home = engine.homeOf({ config: args.config });
    const file = await storeKey(home, { provider, origin, apiKey, storedAt: new Date().toISOString() });
    printLines([`Stored the key ${keyEnding(apiKey)}for ${printable(origin)} in ${printable(file)}.`]);
    const hasHelper = provider === 'anthropic' && configuration.settings.apiKeyHelper !== undefined;
    const winner =
      variablesOf(provider, env).find((name) => env[name]?.trim()) ?? (hasHelper ? 'apiKeyHelper' : undefined);
    if (winner !== undefined) printRemark(`${winner} is set, and wins over the stored key`);
    return 0;
  },
};

const MAX_CHARS = 4096;
/** The exit code after SIGINT. */
const INTERRUPTED = 130;

/** The variables that win over a stored key. */
function variablesOf(provider: string, env: Env): readonly string[] {
  if (provider === 'anthropic') return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
  return provider === 'openai' ? ['OPENAI_API_KEY'] : keyVariablesOf(provider, env);
}

/** Checks a key without a request. The error text never contains the key. */
function checkedKey(given: string): string {
  const key = given.trim();
  if (key === '') throw new HeddleError('invalid_option', 'No key was given. Nothing was stored');
  if (!/^[\x21-\x7e]{8,}$/.test(key) || key.length > MAX_CHARS) {
    const message = 'That is no API key: it must be one word of at least 8 plain characters. Nothing was stored';
    throw new HeddleError('invalid_option', message);
  }
  return key;
}

/** Reads stdin up to the length of a possible key. */
async function readInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece;
    if (text.length > MAX_CHARS) break;
  }
  return text;
}

/** Reads a line from the terminal without showing it: an empty text on Ctrl-D, null on Ctrl-C. */
async function askFor(origin: string): Promise<string | null> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Before the question: from now on the terminal does not echo.
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  process.stderr.write(`API key for ${printable(origin)} (it is not shown): `);
  try {
    return await new Promise<string | null>((resolve) => {
      terminal.once('line', resolve);
      terminal.once('SIGINT', () => resolve(null));
      terminal.once('close', () => resolve(''));
    });
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
