import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from '../screen/screen.ts';
import { usable } from '../screen/screen.ts';
import type { DeathPipe } from './death-pipe.ts';
import { type KeyMode, KITTY_ON, MODIFIED_KEYS_ON, modesOff, PASTE_ON } from './modes.ts';
import { QUESTIONS, type Reply } from './probes.ts';
import type { Terminal, TerminalEvents } from './terminal.ts';

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

/** A shell continues a stopped process at once, or nobody does. */
const STOPPED_MS = 60;

/** The terminal of this process. */
export class Tty implements Terminal {
  readonly #in: ReadStream;
  readonly #out: WriteStream;
  readonly #env: TtyOptions['env'];
  readonly #listeners: Listeners = {
    ...{ input: new Set(), resize: new Set(), drain: new Set(), gone: new Set(), continued: new Set() },
  };
  readonly #handlers: [NodeJS.Signals, () => void][] = [];
  #keys: KeyMode = 'plain';
  #isKitty = false;
  #isEntered = false;
  #enteredAt = Number.NEGATIVE_INFINITY;
  #isGone = false;
  #isClosed = false;
  #deathPipe: DeathPipe | null = null;

  constructor({ stdin, stdout, env }: TtyOptions) {
    this.#in = stdin;
    this.#out = stdout;
    this.#env = env;
    stdin.on('error', this.#onGone);
    stdin.on('end', this.#onGone);
    stdout.on('error', this.#onGone);
    stdout.on('resize', this.#onResize);
    stdout.on('drain', this.#onDrain);
    this.#onSignal('SIGHUP', this.#onGone);
    this.#onSignal('SIGCONT', () => this.#emit('continued'));
  }

  get size(): Size {
    const { columns, rows } = this.#out;
    const { COLUMNS, LINES } = this.#env;
    return usable({ columns: columns || Number(COLUMNS) || 0, rows: rows || Number(LINES) || 0 });
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
    if (this.#keys === 'plain') this.write(QUESTIONS);
    else this.write(this.#keys === 'kitty' ? KITTY_ON : MODIFIED_KEYS_ON);
  }

  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    this.write(modesOff(this.#keys));
    this.#in.pause();
    try {
      this.#in.setRawMode(false);
    } catch {
      // The terminal is gone; there is nothing to restore.
    }
  }

  replied({ kind }: Reply): void {
    if (kind === 'kitty') this.#isKitty = true;
    if (kind !== 'last' || !this.#isEntered || this.#keys !== 'plain') return;
    this.#keys = this.#isKitty ? 'kitty' : 'modified';
    this.write(this.#isKitty ? KITTY_ON : MODIFIED_KEYS_ON);
  }

  async suspend(): Promise<boolean> {
    this.leave();
    const continued = new Promise<boolean>((resolve) => {
      let timer: NodeJS.Timeout;
      const settle = (wasStopped: boolean) => {
        clearTimeout(timer);
        this.#listeners.continued.delete(onContinued);
        resolve(wasStopped);
      };
      const onContinued = () => settle(true);
      this.#listeners.continued.add(onContinued);
      // The first timer may be due while the process stands still: the signal comes right behind it.
      timer = setTimeout(() => {
        timer = setTimeout(() => settle(false), STOPPED_MS);
      }, STOPPED_MS);
    });
    process.kill(0, 'SIGTSTP');
    return continued;
  }

  close(): void {
    this.#isClosed = true;
    this.leave();
    this.#deathPipe?.dismiss();
    for (const [signal, handler] of this.#handlers.splice(0)) process.off(signal, handler);
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

  readonly #onResize = (): void => this.#emit('resize');
  readonly #onDrain = (): void => this.#emit('drain');
  readonly #onGone = (): void => {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#emit('gone');
  };

  #emit(event: 'resize' | 'drain' | 'gone' | 'continued'): void {
    for (const listener of [...this.#listeners[event]]) listener();
  }

  #onSignal(signal: NodeJS.Signals, handler: () => void): void {
    process.on(signal, handler);
    this.#handlers.push([signal, handler]);
  }
}
