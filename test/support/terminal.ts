import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CLI, type CliOptions } from './cli.ts';

const PATIENCE_MS = 15_000;

/** A command line whose stdin and stderr are a terminal; stdout is a file, or the terminal, too. */
export interface OnTerminal {
  /** All that the terminal got. */
  screen(): string;
  /** What the command has written to its own stdout. */
  stdout(): string;
  type(keys: string): void;
  /** The terminal goes away. */
  hangUp(): void;
  /** Waits until the terminal got something that fits. */
  until(expected: Expected): Promise<void>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/** A text, a pattern, or a test of all that the terminal got. */
type Expected = string | RegExp | ((screen: string) => boolean);

export interface TerminalOptions extends CliOptions {
  /** The end of the terminal sends no signal to the command, as after a shell's `disown`. */
  isDisowned?: boolean;
  /** stdout is the terminal, too, as for a person. */
  isWhole?: boolean;
  /** Default 80. */
  columns?: number;
}

/** Runs the command line under a pseudo-terminal (util-linux `script`). */
export function startOnTerminal(args: string[], options: TerminalOptions): OnTerminal {
  const { place, env, cwd, isDisowned, isWhole, columns = 80 } = options;
  const file = join(place.root, 'stdout');
  const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const out = isWhole ? '' : ` > '${file}'`;
  const command = `stty cols ${columns} && exec ${isDisowned ? 'setsid --wait ' : ''}${words}${out}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: cwd ?? place.cwd,
    env: { ...place.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const fits = (expected: Expected) => {
    if (typeof expected === 'function') return expected(screen);
    return typeof expected === 'string' ? screen.includes(expected) : expected.test(screen);
  };
  return {
    screen: () => screen,
    stdout: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    type: (keys) => child.stdin.write(keys),
    hangUp: () => void child.kill('SIGKILL'),
    async until(expected) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      while (!fits(expected)) {
        await Promise.race([once(child.stdout, 'data', { signal: patience }), ended]).catch(() => null);
        if (!fits(expected) && (patience.aborted || child.exitCode !== null)) {
          throw new Error(`The terminal never showed ${expected}: ${JSON.stringify(screen.slice(-1000))}`);
        }
      }
    },
    ended,
  };
}
