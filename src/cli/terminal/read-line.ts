import { createInterface, type Interface } from 'node:readline';

/** The input: a line, several at once (a paste), the end of the input (Ctrl-D), or Ctrl-C. */
export type Typed = { line: string } | 'paste' | 'end' | 'interrupt';

export interface LineReader {
  /**
   * Shows the prompt and waits for a line. Input typed before the prompt appeared is ignored: it cannot be meant as an
   * answer. Rejects with the reason of the signal when the answer is no longer needed.
   */
  read(prompt: string, signal: AbortSignal): Promise<Typed>;
}

export interface Terminal {
  stdin: NodeJS.ReadStream;
  /** The stream that shows the prompt and the typed text. */
  output: NodeJS.WriteStream;
  /** Without a movable cursor: the terminal itself echoes and edits the line. */
  isDumb: boolean;
}

export function lineReader(terminal: Terminal): LineReader {
  const { stdin, output, isDumb } = terminal;
  return {
    async read(prompt, signal) {
      if (stdin.readableEnded || stdin.destroyed) return 'end';
      if ((await dropTyped(terminal, signal)) === 'interrupt') return 'interrupt';
      const lines = createInterface({ input: stdin, output, terminal: !isDumb, historySize: 0 });
      let typed: Typed | null = null;
      try {
        typed = await typedLine(lines, prompt, signal);
        return typed;
      } finally {
        lines.close();
        // Without its own line end, further output would follow the prompt on the same line.
        if (typed === null || typed === 'end' || typed === 'interrupt') output.write('\n');
      }
    },
  };
}

function typedLine(lines: Interface, prompt: string, signal: AbortSignal): Promise<Typed> {
  return untilAborted(signal, (resolve) => {
    const typed: string[] = [];
    lines.on('line', (line) => {
      typed.push(line);
      // Lines that arrive together were pasted.
      if (typed.length === 1) setImmediate(() => resolve(typed.length > 1 ? 'paste' : { line }));
    });
    lines.on('close', () => {
      if (typed.length === 0) resolve('end');
    });
    lines.on('SIGINT', () => resolve('interrupt'));
    lines.setPrompt(prompt);
    lines.prompt();
  });
}

/** Input typed before the prompt arrives within this time once reading starts. */
const STALE_MS = 100;

/** Ctrl-C is not an answer, and is never dropped: in raw mode the terminal sends no signal. */
const CTRL_C = '\u0003';

async function dropTyped({ stdin, isDumb }: Terminal, signal: AbortSignal): Promise<'dropped' | 'interrupt'> {
  let timer: NodeJS.Timeout | undefined;
  let look: ((data: Buffer | string) => void) | undefined;
  if (!isDumb) stdin.setRawMode(true);
  try {
    return await untilAborted(signal, (resolve) => {
      look = (data) => data.includes(CTRL_C) && resolve('interrupt');
      stdin.on('data', look);
      stdin.resume();
      timer = setTimeout(() => resolve('dropped'), STALE_MS);
    });
  } finally {
    clearTimeout(timer);
    if (look) stdin.off('data', look);
    stdin.pause();
    if (!isDumb) stdin.setRawMode(false);
  }
}

async function untilAborted<T>(signal: AbortSignal, start: (resolve: (value: T) => void) => void): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      start(resolve);
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
