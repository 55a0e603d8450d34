import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isResult, type Line } from './lines.ts';
import type { Place } from './place.ts';
import { ROOT } from './root.ts';

/** The built command line. */
export const CLI = join(ROOT, 'dist/cli.js');

/** How long a test waits for anything before it fails with what has been seen so far. */
const PATIENCE_MS = 15_000;

export interface CliOptions {
  place: Place;
  /** Laid over the place's environment; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  cwd?: string;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  lines: Line[];
}

/** Runs the command line to its end. `stdin` is all it gets to read; without it stdin is empty. */
export async function runCli(args: string[], options: CliOptions & { stdin?: string }): Promise<Finished> {
  const cli = startCli(args, options);
  if (options.stdin) cli.write(options.stdin);
  cli.endInput();
  return cli.finished;
}

export const STREAM_OUT = ['-p', '--output-format', 'stream-json', '--verbose'];
export const STREAM_BOTH = [...STREAM_OUT, '--input-format', 'stream-json'];

/** Starts the command line with open pipes; it is killed when the running test is over. */
export function startCli(args: string[], { place, env, cwd }: CliOptions): RunningCli {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: cwd ?? place.cwd,
    env: { ...place.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const cli = new RunningCli(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await cli.finished;
  });
  return cli;
}

/** A running command line: what it has said so far, and the host's side of the protocol, written independently of ours. */
export class RunningCli {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  /** Every complete line of stdout that is JSON. */
  readonly lines: Line[] = [];
  readonly finished: Promise<Finished>;
  #unread = 0;
  #requests = 0;
  #over = false;
  #onChange: (() => void)[] = [];

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdin?.on('error', () => {}); // it ended before it had read everything
    let pending = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      pending += text;
      if (!text.includes('\n')) return; // a line of megabytes is taken apart once, not with every piece
      const parts = pending.split('\n');
      pending = parts.pop() ?? '';
      this.lines.push(...parts.flatMap(parse));
      this.#changed();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changed();
    });
    this.finished = once(child, 'close').then(([code, signal]) => {
      this.#over = true;
      this.#changed();
      const { stdout, stderr, lines } = this;
      return { code, signal, stdout, stderr, lines };
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  send(line: object): void {
    this.write(`${JSON.stringify(line)}\n`);
  }

  say(content: string | object[], fields: object = {}): void {
    this.send({ type: 'user', message: { role: 'user', content }, ...fields });
  }

  /** Sends a control request and resolves with its response: `{ subtype, response | error }`. */
  async control(request: { subtype: string; [key: string]: unknown }): Promise<Record<string, unknown>> {
    const id = `test-${++this.#requests}`;
    this.send({ type: 'control_request', request_id: id, request });
    const isAnswer = (line: Line) => line.type === 'control_response' && responseOf(line).request_id === id;
    return responseOf(await this.#find(isAnswer, 0));
  }

  endInput(): void {
    this.child.stdin?.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The next line that matches, after the last one that was waited for. */
  async next(match: (line: Line) => boolean): Promise<Line> {
    const line = await this.#find(match, this.#unread);
    this.#unread = this.lines.indexOf(line) + 1;
    return line;
  }

  nextResult(): Promise<Line> {
    return this.next(isResult);
  }

  /** Lets go of what was said so far: the whole of a long run would not fit into memory. */
  forget(): void {
    this.stdout = '';
    this.lines.length = 0;
    this.#unread = 0;
  }

  /** Waits until something is true of what has been said. */
  async until(check: () => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!check()) {
      if (this.#over || Date.now() > deadline) throw new Error(`It did not happen. ${this.#story()}`);
      await this.#change(deadline - Date.now());
    }
  }

  async #find(match: (line: Line) => boolean, from: number): Promise<Line> {
    let found: Line | undefined;
    await this.until(() => {
      found = this.lines.slice(from).find(match);
      return found !== undefined;
    });
    return found as Line;
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onChange.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #changed(): void {
    for (const wake of this.#onChange.splice(0)) wake();
  }

  #story(): string {
    const state = this.#over ? `It ended with ${this.child.exitCode ?? this.child.signalCode}.` : 'It still runs.';
    return `${state}\nstdout: …${this.stdout.slice(-1500)}\nstderr: …${this.stderr.slice(-1500)}`;
  }
}

function parse(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}

function responseOf(line: Line): Record<string, unknown> {
  return line.response as Record<string, unknown>;
}
