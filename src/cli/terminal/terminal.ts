import { createInterface } from 'node:readline/promises';
import { createPaint, type Paint } from '../../util/paint.ts';
import { wrapText } from '../../util/wrap-text.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What human output is written for. */
export interface Terminal {
  paint: Paint;
  /** Columns. */
  width: number;
  /** Columns after which a sentence is broken into lines: in a pipe never. */
  room: number;
  isTerminal: boolean;
}

/** What is piped has no columns; still, a line for each session or message is meant to be read. */
const PLAIN_WIDTH = 200;

/** What is piped is plain. */
export function terminalOf(out: { isTTY?: boolean; columns?: number }, env: Env): Terminal {
  const isTerminal = out.isTTY === true;
  return {
    paint: createPaint({ colours: hasColours(isTerminal, env) }),
    width: isTerminal ? out.columns || 80 : PLAIN_WIDTH,
    room: isTerminal ? out.columns || 80 : Number.POSITIVE_INFINITY,
    isTerminal,
  };
}

/** NO_COLOR forbids them, else FORCE_COLOR decides (0 forbids them, too), else whether it is a terminal that has them. */
function hasColours(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Env): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}

/** Results go to stdout, and only they. */
export function sayLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** A help text: as it is for whoever reads it through a pipe, in colours and within the columns of a terminal. */
export async function sayHelp(text: string): Promise<void> {
  const terminal = terminalOf(process.stdout, process.env);
  if (!terminal.isTerminal) return sayLines([text.trimEnd()]);
  sayLines((await import('./help-layout.ts')).layoutHelp(text, terminal));
}

/** Waits for a reader that is slow, and ends with one that has seen enough. */
export async function sayPieces(pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(piece)) await roomIn(process.stdout);
  }
}

/** Or the end of it: nobody drains what is closed. */
async function roomIn(out: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) out.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) out.on(event, done);
  });
}

export function sayJson(value: unknown): void {
  sayLines([JSON.stringify(value, null, 2)]);
}

/** Remarks, and why something was not done. */
export function tell(message: string): void {
  const { stderr } = process;
  const lines = stderr.isTTY
    ? wrapText(`heddle: ${message}`, stderr.columns || 80, { hang: 2 })
    : [`heddle: ${message}`];
  stderr.write(`${lines.join('\n')}\n`);
}

/** Asks on the terminal. True where there is none to ask on: then the command itself is the answer. */
export async function isAgreed(question: string): Promise<boolean> {
  return !canAsk(process.stderr) || saysYes(question, process.stderr);
}

/** Whether somebody reads there who can answer. */
export function canAsk(output: { isTTY?: boolean }): boolean {
  return process.stdin.isTTY === true && output.isTTY === true;
}

export async function saysYes(question: string, output: NodeJS.WritableStream): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    return false; // Ctrl-C, Ctrl-D
  } finally {
    terminal.close();
  }
}
