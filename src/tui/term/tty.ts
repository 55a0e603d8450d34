import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from '../screen/screen.ts';
import { usable } from '../screen/screen.ts';
import type { DeathPipe } from './death-pipe.ts';
import { JobControl } from './job-control.ts';
import { type KeyMode, KITTY_ON, MODIFIED_KEYS_ON, modesOff, PASTE_ON } from './modes.ts';
import { QUESTIONS, type Reply } from './probes.ts';
import type { ExtraMode, Terminal, TerminalEvents } from './terminal.ts';

type Listeners = { [Name in keyof TerminalEvents]: Set<TerminalEvents[Name]> };

export interface TtyOptions {
  stdin: ReadStream;
  stdout: WriteStream;
  env: Readonly<Record<string, string | undefined>>;
}

/** The terminal of a process is always behind these. */
const STDIN = 0;
const STDOUT = 1;

const EARLY_MS = 30;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The terminal of this process. */
export class Tty implements Terminal {
  readonly #in: ReadStream;
  readonly #out: WriteStream;
  readonly #env: TtyOptions['env'];
  readonly #listeners: Listeners = {
    ...{ input: new Set(), resize: new Set(), drain: new Set() },
    ...{ gone: new Set(), stopping: new Set(), returned: new Set() },
  };
  readonly #jobs = new JobControl({
    onStopping: () => this.#emit('stopping'),
    onContinued: () => void this.#returned(),
  });
  #keys: KeyMode = 'plain';
  #isKitty = false;
  #isEntered = false;
  #enteredAt = Number.NEGATIVE_INFINITY;
  #isGone = false;
  #isClosed = false;
  readonly #modes = new Map<string, ExtraMode>();
  #deathPipe: DeathPipe | null = null;
  /** What was written while another process had the terminal; null where it is ours. */
  #kept: string[] | null = null;

  constructor({ stdin, stdout, env }: TtyOptions) {
    this.#in = stdin;
    this.#out = stdout;
    this.#env = env;
    stdin.on('error', this.#onGone);
    stdin.on('end', this.#onGone);
    stdout.on('error', this.#onGone);
    stdout.on('resize', this.#onResize);
    stdout.on('drain', this.#onDrain);
    process.on('SIGHUP', this.#onGone);
  }

  get size(): Size {
    const [columns, rows] = this.#asked();
    const { COLUMNS, LINES } = this.#env;
    return usable({ columns: columns || Number(COLUMNS) || 0, rows: rows || Number(LINES) || 0 });
  }

  /** While the process is stopped nobody tells it that its window changes, so it asks. */
  #asked(): [number, number] {
    try {
      return this.#out.getWindowSize();
    } catch {
      return [this.#out.columns, this.#out.rows];
    }
  }

  on<Name extends keyof TerminalEvents>(event: Name, listener: TerminalEvents[Name]): void {
    this.#listeners[event].add(listener);
  }

  /** The file descriptors of the terminal. */
  get descriptors(): { input: number; output: number } {
    return { input: STDIN, output: STDOUT };
  }

  /** Hands over who restores the terminal if this process is killed. */
  guardedBy(deathPipe: DeathPipe): void {
    if (this.#isClosed) deathPipe.dismiss();
    else this.#deathPipe = deathPipe;
  }

  write(text: string): boolean {
    if (this.#isGone) return true;
    if (this.#kept) {
      this.#kept.push(text);
      return false;
    }
    try {
      return this.#out.write(text);
    } catch {
      this.#onGone();
      return true;
    }
  }

  enter(): void {
    if (this.#isEntered || this.#isGone || this.#isClosed) return;
    this.#isEntered = true;
    if (this.#enteredAt < 0) this.#enteredAt = performance.now();
    this.#in.setRawMode(true);
    this.#in.off('data', this.#onData).on('data', this.#onData);
    this.#in.ref();
    this.#in.resume();
    this.write(PASTE_ON);
    this.write(this.#keys === 'plain' ? QUESTIONS : this.#keysOn());
    this.write(this.#modesOn());
  }

  keep(name: string, mode: ExtraMode | null): void {
    const before = this.#modes.get(name);
    if (mode) this.#modes.set(name, mode);
    else this.#modes.delete(name);
    if (this.#isEntered) this.write(mode ? (mode.now ?? mode.on) : (before?.off ?? ''));
  }

  #modesOn(): string {
    return [...this.#modes.values()].map(({ on }) => on).join('');
  }

  #keysOn(): string {
    return { plain: '', kitty: KITTY_ON, modified: MODIFIED_KEYS_ON }[this.#keys];
  }

  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    const kept = this.#kept;
    this.#kept = null;
    const off = [...this.#modes.values()].map((mode) => mode.off).join('');
    this.write((kept?.join('') ?? '') + off + modesOff(this.#keys));
    this.#in.pause();
    try {
      // In the background the modes are the shell's.
      if (!kept) this.#in.setRawMode(false);
    } catch {
      // The terminal is gone; there is nothing to restore.
    }
  }

  replied({ kind }: Reply): void {
    if (kind === 'kitty') this.#isKitty = true;
    if (kind !== 'last' || !this.#isEntered || this.#keys !== 'plain') return;
    this.#keys = this.#isKitty ? 'kitty' : 'modified';
    this.write(this.#keysOn());
  }

  async suspend(): Promise<boolean> {
    this.leave();
    return this.#jobs.suspend();
  }

  close(): void {
    this.#isClosed = true;
    this.leave();
    if (this.#isGone) this.#deathPipe?.restore();
    else this.#deathPipe?.dismiss();
    this.#jobs.close();
    process.off('SIGHUP', this.#onGone);
    this.#in.off('data', this.#onData);
    this.#out.off('resize', this.#onResize);
    this.#out.off('drain', this.#onDrain);
    this.#in.pause();
    this.#in.unref();
  }

  /** What was typed before the first `enter` has line ends instead of Enter. */
  readonly #onData = (read: Buffer): void => {
    const isEarly = performance.now() - this.#enteredAt < EARLY_MS;
    const bytes = isEarly ? Buffer.from(read.map((byte) => (byte === LINE_FEED ? RETURN : byte))) : read;
    for (const listener of this.#listeners.input) listener(bytes);
  };

  /** Stopped by force: the shell has set its own modes since. In the background nothing is drawn. */
  async #returned(): Promise<void> {
    if (!this.#isEntered || this.#kept) return;
    this.#kept = [];
    await this.#jobs.foreground();
    const kept = this.#kept?.join('') ?? '';
    this.#kept = null;
    if (!this.#isEntered || this.#isGone || this.#isClosed) return;
    try {
      // Node changes modes only where it believes that they differ.
      this.#in.setRawMode(false);
      this.#in.setRawMode(true);
    } catch {
      this.#onGone();
      return;
    }
    this.write(`${PASTE_ON}${this.#keysOn()}${this.#modesOn()}${kept}`);
    this.#emit('returned');
    this.#emit('drain');
  }

  readonly #onResize = (): void => this.#emit('resize');
  readonly #onDrain = (): void => this.#emit('drain');
  readonly #onGone = (): void => {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#emit('gone');
  };

  #emit(event: Exclude<keyof TerminalEvents, 'input'>): void {
    for (const listener of [...this.#listeners[event]]) listener();
  }
}
