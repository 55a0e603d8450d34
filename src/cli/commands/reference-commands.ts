import { usage } from '../flags/args.ts';

/**
 * Throws `invalid_option` for a first word that is a command of the reference but not of Heddle, and says what to use
 * instead: the user does not mean it as a prompt, and as one it would cost money.
 */
export function refuseReferenceCommand(word: string): void {
  const advice = Object.hasOwn(ADVICE, word) ? ADVICE[word] : undefined;
  if (advice === undefined) return;
  throw usage(`heddle has no command '${word}'. ${advice}\nAs a prompt: heddle -p ${word}`);
}

const UPDATE = 'It does not change itself: install the version that you want the way you installed this one.';
const BACKGROUND = 'heddle tasks list|show|stop has what runs in the background, heddle sessions list the sessions.';

/** From `claude --help` and its documentation. */
const ADVICE: Readonly<Record<string, string>> = {
  update: UPDATE,
  upgrade: UPDATE,
  install: UPDATE,
  'migrate-installer': UPDATE,
  login: 'To store an API key: heddle auth login',
  logout: 'To remove the stored API key: heddle auth logout',
  'setup-token': 'To store an API key: heddle auth login',
  agents: BACKGROUND,
  daemon: BACKGROUND,
  kill: BACKGROUND,
  logs: BACKGROUND,
  respawn: BACKGROUND,
  rm: BACKGROUND,
  stop: BACKGROUND,
  purge: 'To delete stored sessions: heddle sessions delete SESSION',
  import: 'To use the sessions and settings of another folder: heddle config home DIR',
  'auto-mode': 'The mode is a flag: --permission-mode auto',
  ultrareview: 'To review changes that are not committed: heddle -p /review',
  gateway: 'To send requests elsewhere: ANTHROPIC_BASE_URL or OPENAI_BASE_URL.',
  'remote-control': 'Programs control a session through the SDK, or with --input-format stream-json.',
};

/** For tests, and for other code that needs the list. */
export const REFERENCE_COMMANDS: readonly string[] = Object.keys(ADVICE);
