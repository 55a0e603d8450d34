import { readFileSync } from 'node:fs';

/** A shell continues a stopped process at once, or nobody does. */
const STOPPED_MS = 60;
/** How often a process in the background looks whether the terminal is its own again. */
const LOOK_MS = 200;

export interface JobEvents {
  /** Another process asks this one to stop (SIGTSTP). */
  readonly onStopping: () => void;
  /** The process was stopped by force and continues, maybe in the background. */
  readonly onContinued: () => void;
}

/** Stopping and continuing as shells do it: Ctrl+Z, `fg`, `bg`. */
export class JobControl {
  readonly #events: JobEvents;
  /** Those who wait for the end of a stop that they have asked for. */
  readonly #waiting = new Set<(wasStopped: boolean) => void>();
  #look: NodeJS.Timeout | null = null;

  constructor(events: JobEvents) {
    this.#events = events;
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
  }

  /** Stops this process and its group; resolves when it continues in the foreground. False: no shell could stop it. */
  async suspend(): Promise<boolean> {
    process.off('SIGTSTP', this.#onStop);
    let timer: NodeJS.Timeout | null = null;
    const continued = new Promise<boolean>((resolve) => {
      this.#waiting.add(resolve);
      // The first timer may be due while the process stands still: the signal comes right behind it.
      timer = setTimeout(() => {
        timer = setTimeout(() => resolve(false), STOPPED_MS);
      }, STOPPED_MS);
    });
    process.kill(0, 'SIGTSTP');
    const wasStopped = await continued;
    if (timer) clearTimeout(timer);
    this.#waiting.clear();
    process.on('SIGTSTP', this.#onStop);
    if (wasStopped) await this.foreground();
    return wasStopped;
  }

  /** Resolves when the terminal is this process's: after `bg` it belongs to the shell. */
  foreground(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (isInBackground()) this.#look = setTimeout(look, LOOK_MS);
        else resolve();
      };
      look();
    });
  }

  close(): void {
    if (this.#look) clearTimeout(this.#look);
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
  }

  readonly #onStop = (): void => this.#events.onStopping();
  readonly #onContinue = (): void => {
    if (this.#waiting.size === 0) this.#events.onContinued();
    for (const resolve of this.#waiting) resolve(true);
  };
}

/** Whether another group has the terminal. False where the system does not tell. */
export function isInBackground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return foreground !== '-1' && group !== foreground;
  } catch {
    return false;
  }
}
