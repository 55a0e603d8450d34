const ROW = /^\s*\|(.*)\|\s*$/;
const RULE = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** Tables of Markdown, a line for each row: `Header: value; Header: value`. Everything else stays as it is. */
export function linearTables(lines: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const head = cellsOf(lines[at] ?? '');
    if (!head || !RULE.test(lines[at + 1] ?? '')) {
      out.push(lines[at] ?? '');
      continue;
    }
    at += 2;
    for (let cells = cellsOf(lines[at] ?? ''); cells; cells = cellsOf(lines[at] ?? '')) {
      out.push(cells.map((cell, column) => `${head[column] ?? column + 1}: ${cell}`).join('; '));
      at++;
    }
    at--;
  }
  return out;
}

function cellsOf(line: string): string[] | null {
  const [, inner] = ROW.exec(line) ?? [];
  return inner === undefined ? null : inner.split('|').map((cell) => cell.trim());
}
