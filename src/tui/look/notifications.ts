import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import type { Change } from '../../view/changes.ts';
import type { View } from '../../view/view.ts';
import type { Terminal } from '../term/terminal.ts';
import { hasTitle } from '../term/window-features.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Way = 'bell' | 'osc9' | 'osc9-and-bell' | 'osc99' | 'osc777';

/** Nobody has typed for so long: perhaps nobody looks. */
const AWAY_MS = 6000;
/** The end of a shorter turn was waited for. */
const LONG_TURN_MS = 10_000;
const TMUX_MS = 1000;
const BELL = '\x07';

export interface NotificationsParts {
  readonly terminal: Pick<Terminal, 'keep' | 'write'>;
  readonly env: Env;
  readonly cwd: string;
  readonly now: () => number;
}

/**
 * Tells a person who does not look that the session waits or is done: by a notification where the terminal is known for
 * one, else by the bell. The words are ours.
 */
export class Notifications {
  readonly #parts: NotificationsParts;
  #way: Way | null = null;
  #isFocused = true;
  #lastKey: number;
  #asked: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | null = null;
  #passes: Promise<boolean> | null = null;

  constructor(parts: NotificationsParts) {
    this.#parts = parts;
    this.#lastKey = parts.now();
  }

  /** `channel` is the setting `preferredNotifChannel`. */
  use(channel: string): void {
    const { terminal, env } = this.#parts;
    this.#way = wayOf(channel, env);
    const mode = { on: '\x1b[?1004h', off: '\x1b[?1004l' };
    terminal.keep('focus', this.#way !== null && hasTitle(env) ? mode : null);
  }

  typed(): void {
    this.#lastKey = this.#parts.now();
    if (this.#timer) this.#waitForAnswer();
  }

  focus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    if (isFocused) this.#lastKey = this.#parts.now();
  }

  saw(changes: readonly Change[], { phase }: Pick<View, 'phase'>): void {
    for (const change of changes) {
      if (change.type !== 'done') continue;
      const { block } = change;
      if (block.kind === 'result' && block.ms > LONG_TURN_MS) this.#tell(block.isError ? 'a turn has failed' : 'done');
      if (block.kind === 'task') this.#tell('a task has ended');
    }
    if (phase === 'lost' && changes.length > 0) this.#tell('the session is lost');
  }

  /** Tells of a question that nobody answers, at once or when nobody has typed for a while. */
  update({ questions }: Pick<View, 'questions'>): void {
    const open = new Set(questions.map(({ id }) => id));
    const isNew = [...open].some((id) => !this.#asked.has(id));
    this.#asked = open;
    if (open.size === 0) this.#stopWaiting();
    else if (isNew) this.#waitForAnswer();
  }

  close(): void {
    this.#stopWaiting();
    this.#parts.terminal.keep('focus', null);
  }

  get #isAway(): boolean {
    return !this.#isFocused || this.#parts.now() - this.#lastKey >= AWAY_MS;
  }

  #waitForAnswer(): void {
    this.#stopWaiting();
    if (this.#way === null) return;
    const rest = AWAY_MS - (this.#parts.now() - this.#lastKey);
    if (this.#isAway) this.#tell('it has a question');
    else this.#timer = setTimeout(() => this.#waitForAnswer(), Math.max(1, rest));
  }

  #stopWaiting(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tell(what: string): void {
    const way = this.#way;
    if (way === null || !this.#isAway) return;
    const { terminal, env, cwd } = this.#parts;
    const bytes = bytesOf(way, `${projectOf(cwd)}${what}`);
    if (way === 'bell' || !env.TMUX) {
      terminal.write(bytes);
      return;
    }
    this.#passes ??= tmuxPasses(env);
    void this.#passes.then((passes) => terminal.write(passes ? throughTmux(bytes) : BELL));
  }
}

/** How a notification gets to the person; null: not at all. */
function wayOf(channel: string, env: Env): Way | null {
  switch (channel) {
    case 'notifications_disabled':
      return null;
    case 'terminal_bell':
      return 'bell';
    case 'iterm2':
      return 'osc9';
    case 'iterm2_with_bell':
      return 'osc9-and-bell';
    case 'kitty':
      return 'osc99';
    case 'ghostty':
      return 'osc777';
    default:
      return wayOfTerminal(env);
  }
}

/** In tmux the terminal around it is not known. */
function wayOfTerminal({ TMUX, STY, TERM = '', TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID }: Env): Way {
  if (TMUX || STY) return 'bell';
  if (KITTY_WINDOW_ID || TERM === 'xterm-kitty') return 'osc99';
  if (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' || LC_TERMINAL === 'iTerm2') return 'osc9';
  return TERM_PROGRAM === 'ghostty' || /^(?:xterm-ghostty|foot|rxvt-unicode)/.test(TERM) ? 'osc777' : 'bell';
}

function bytesOf(way: Way, text: string): string {
  switch (way) {
    case 'bell':
      return BELL;
    case 'osc9':
      return `\x1b]9;Heddle: ${text}\x07`;
    case 'osc9-and-bell':
      return `\x1b]9;Heddle: ${text}\x07${BELL}`;
    case 'osc99':
      return `\x1b]99;i=heddle:d=0;Heddle\x1b\\\x1b]99;i=heddle:d=1:p=body;${text}\x1b\\`;
    case 'osc777':
      return `\x1b]777;notify;Heddle;${text}\x07`;
    default:
      throw way satisfies never;
  }
}

/** Of a name that anybody may have chosen only what cannot be a part of a sequence, or of another field. */
function projectOf(cwd: string): string {
  const name = basename(cwd)
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '')
    .slice(0, 40);
  return name === '' ? '' : `${name}: `;
}

async function tmuxPasses(env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: TMUX_MS };
    execFile('tmux', ['show-options', '-Apv', 'allow-passthrough'], options, (error, stdout) => {
      resolve(!error && /^(?:on|all)\s*$/.test(stdout));
    });
  });
}

function throughTmux(bytes: string): string {
  return `\x1bPtmux;${bytes.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`;
}
