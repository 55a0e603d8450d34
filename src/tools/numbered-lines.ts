const MAX_LINE_CHARS = 2000;

/** Lines as the model sees them: `     1→text`, overlong ones cut. */
export function numberLines(lines: readonly string[], firstNumber: number): string {
  return lines.map((line, index) => `${String(firstNumber + index).padStart(6)}→${cut(line)}`).join('\n');
}

function cut(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= MAX_LINE_CHARS) return text;
  return `${text.slice(0, MAX_LINE_CHARS)}… [${text.length - MAX_LINE_CHARS} more characters]`;
}
