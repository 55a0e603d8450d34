const MAX_LINE_CHARS = 2000;

/** A line of a file, or the start of one that is too long to keep. */
export interface Line {
  text: string;
  /** The length of the whole line, when `text` is only its start. */
  cutFromBytes?: number;
}

/** Lines as the model sees them: `     1→text`, overlong ones cut. */
export function numberLines(lines: readonly Line[], firstNumber: number): string {
  return lines.map((line, index) => `${String(firstNumber + index).padStart(6)}→${shown(line)}`).join('\n');
}

/** True when the model sees only the start of it. */
export function isCut(line: Line): boolean {
  return line.cutFromBytes !== undefined || withoutCr(line.text).length > MAX_LINE_CHARS;
}

function shown(line: Line): string {
  const text = withoutCr(line.text);
  if (!isCut(line)) return text;
  const rest =
    line.cutFromBytes === undefined
      ? `${text.length - MAX_LINE_CHARS} more characters`
      : `a line of ${line.cutFromBytes} bytes`;
  return `${text.slice(0, MAX_LINE_CHARS)}… [${rest}]`;
}

function withoutCr(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
