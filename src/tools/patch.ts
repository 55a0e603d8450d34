/** One place where two texts differ, as in a unified diff. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a space, `-` or `+`. */
  lines: string[];
}

/** More differing lines than this are not worth finding the smallest difference for: its cost grows with their square. */
const MAX_EDIT_LENGTH = 1000;
/** With the other fields of a result, small enough for a line of the stream (ruling K34). */
const MAX_PATCH_BYTES = 200_000;

/** What changed, for people; three lines of context. Hunks that would make it too large are left out. */
export async function diffLines(before: string, after: string): Promise<Hunk[]> {
  if (before === after) return [];
  const { structuredPatch } = await import('diff'); // not on the start path
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: MAX_EDIT_LENGTH });
  return withinLimit(patch ? patch.hunks.map(plain) : [replaceAll(before, after)]);
}

function plain({ oldStart, oldLines, newStart, newLines, lines }: Hunk): Hunk {
  // Without the remarks on missing final newlines: they are not lines.
  return { oldStart, oldLines, newStart, newLines, lines: lines.filter((line) => !line.startsWith('\\')) };
}

function replaceAll(before: string, after: string): Hunk {
  const [oldLines, newLines] = [splitLines(before), splitLines(after)];
  const lines = [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: oldLines.length, newStart: 1, newLines: newLines.length, lines };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function withinLimit(hunks: Hunk[]): Hunk[] {
  let size = 0;
  return hunks.filter((hunk) => {
    const cost = hunk.lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    if (size + cost > MAX_PATCH_BYTES) return false;
    size += cost;
    return true;
  });
}
