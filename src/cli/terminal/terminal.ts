import { createPaint, type Paint } from '../../util/text/paint.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { layoutHelp } from './help-layout.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The properties of the output for people. */
export interface Terminal {
  paint: Paint;
  /** Columns. */
  width: number;
  /** The width at which sentences wrap: in a pipe never. */
  room: number;
  isTerminal: boolean;
}

/** A pipe has no columns; still, a line for each session or message should be readable. */
const PLAIN_WIDTH = 200;

/** Output to a pipe is plain. */
export function terminalOf(out: { isTTY?: boolean; columns?: number }, env: Env): Terminal {
  const isTerminal = out.isTTY === true;
  return {
    paint: createPaint({ colours: hasColours(isTerminal, env) }),
    width: isTerminal ? out.columns || 80 : PLAIN_WIDTH,
    room: isTerminal ? out.columns || 80 : Number.POSITIVE_INFINITY,
    isTerminal,
  };
}

/**
 * NO_COLOR forbids colours, else FORCE_COLOR decides (0 forbids them, too), else whether it is a terminal that supports
 * them.
 */
function hasColours(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Env): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}

/** Only results go to stdout. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints a help text: unchanged in a pipe, in colours and within the columns of a terminal. */
export function printHelp(text: string): void {
  const terminal = terminalOf(process.stdout, process.env);
  printLines(terminal.isTerminal ? layoutHelp(text, terminal) : [text.trimEnd()]);
}

/** Waits for a slow reader, and ends when the reader closes early. */
export async function printPieces(pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (process.stdout.destroyed) return;
    if (!process.stdout.write(piece)) await roomIn(process.stdout);
  }
}

/** Also resolves when the stream is closed: a closed stream never drains. */
async function roomIn(out: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) out.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) out.on(event, done);
  });
}

export function printJson(value: unknown): void {
  printLines([JSON.stringify(value, null, 2)]);
}

/** Remarks, and reasons why something was not done. */
export function printRemark(message: string): void {
  const { stderr } = process;
  const lines = stderr.isTTY
    ? wrapText(`heddle: ${message}`, stderr.columns || 80, { hang: 2 })
    : [`heddle: ${message}`];
  stderr.write(`${lines.join('\n')}\n`);
}

/** Asks on the terminal. True where there is none to ask on: the command itself is then the answer. */
export async function isAgreed(question: string): Promise<boolean> {
  return !canAsk(process.stderr) || confirms(question, process.stderr);
}

/** Whether a person reads there who can answer. */
export function canAsk(output: { isTTY?: boolean }): boolean {
  return process.stdin.isTTY === true && output.isTTY === true;
}

export async function confirms(question: string, output: NodeJS.WritableStream): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    return false; // Ctrl-C, Ctrl-D
  } finally {
    terminal.close();
  }
}
