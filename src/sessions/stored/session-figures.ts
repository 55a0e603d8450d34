import { closeSync, constants, openSync, readSync } from 'node:fs';

/** Figures for a list that require reading the whole transcript. */
export interface SessionFigures {
  /** Prompts, on all branches. */
  turns: number;
  /** The cost of the session in USD; null where its file does not contain it. */
  costUsd: number | null;
}

/** Larger files are not read for a list. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Null for a file that is too large, or cannot be read. It searches marks in the lines instead of parsing them. */
export function sessionFigures({ path, fileSize }: { path: string; fileSize: number }): SessionFigures | null {
  if (fileSize > MAX_BYTES) return null;
  try {
    return figuresOf(readWhole(path, fileSize));
  } catch {
    return null;
  }
}

function figuresOf(bytes: Buffer): SessionFigures {
  const figures: SessionFigures = { turns: 0, costUsd: null };
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    start += line.length + 1;
    if (line.includes(COST)) figures.costUsd = costIn(line) ?? figures.costUsd;
    else if (isPrompt(line)) figures.turns++;
  }
  return figures;
}

const LF = 0x0a;
const COST = '"type":"cost-state"';

/** Inside a text such marks have backslashes before their quotes, so no text can be mistaken for one. */
function isPrompt(line: Buffer): boolean {
  return line.includes('"type":"user"') && !NO_PROMPT.some((mark) => line.includes(mark));
}

/** Tool results, messages of the runtime to the model, interrupt markers, and entries of agents. */
const NO_PROMPT = [
  '"type":"tool_result"',
  '"[Request interrupted by user',
  '"isMeta":true',
  '"isSidechain":true',
  '"isCompactSummary":true',
];

function costIn(line: Buffer): number | null {
  const found = /"totalCostUSD":([\d.eE+-]+)/.exec(line.toString('latin1'));
  const cost = Number(found?.[1]);
  return Number.isFinite(cost) ? cost : null;
}

function readWhole(path: string, size: number): Buffer {
  // O_NONBLOCK: opening a FIFO without a writer returns at once instead of blocking.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.allocUnsafe(size);
    let length = 0;
    for (let read = -1; read !== 0 && length < size; length += read)
      read = readSync(fd, buffer, length, size - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
