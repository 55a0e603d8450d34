import { affordableEdits } from '../../util/text/diff-effort.ts';
import { jsonBytes } from '../bounded-field.ts';

/** One place where two texts differ, as in a unified diff. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a space, `-` or `+`. */
  lines: string[];
}

/** Small enough that a result with its other fields fits into a line of the stream. */
const MAX_PATCH_BYTES = 200_000;

const CONTEXT_LINES = 3;
/** In larger texts only the part that changed is compared. */
const LARGE_CHARS = 200_000;
/** Comparing a larger part would block the process, and the result would be too large. */
const MAX_COMPARED_CHARS = 1_500_000;

/** The changes for people, with three lines of context. Hunks that would make the list too large are left out. */
export async function diffLines(before: string, after: string): Promise<Hunk[]> {
  if (before === after) return [];
  const { structuredPatch } = await import('diff'); // not on the start path
  const { from, to, linesBefore } = changedPart(before, after);
  if (from.length + to.length > MAX_COMPARED_CHARS) return [];
  const maxEditLength = affordableEdits(from, to);
  const patch = structuredPatch('', '', from, to, '', '', { context: CONTEXT_LINES, maxEditLength });
  const hunks = patch ? patch.hunks.map(plain) : [replaceAll(from, to)];
  return withinLimit(hunks.map((hunk) => moved(hunk, linesBefore)));
}

/** Both texts without their common start and end, except for some lines of context. */
function changedPart(before: string, after: string): { from: string; to: string; linesBefore: number } {
  if (before.length + after.length < LARGE_CHARS) return { from: before, to: after, linesBefore: 0 };
  const shorter = Math.min(before.length, after.length);
  const start = sharedLength(shorter, (from, to) => before.slice(from, to) === after.slice(from, to));
  const end = sharedLength(shorter - start, (from, to) => {
    return (
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from)
    );
  });
  const first = startOfLine(before, start, CONTEXT_LINES);
  const behind = before.length - endOfLine(before, before.length - end, CONTEXT_LINES);
  return {
    from: before.slice(first, before.length - behind),
    to: after.slice(first, after.length - behind),
    linesBefore: linesIn(before, first),
  };
}

/** The length that two texts share. Compares large pieces first, and smaller ones where they differ. */
function sharedLength(most: number, isSame: (from: number, to: number) => boolean): number {
  let shared = 0;
  for (let piece = 2 ** 16; piece >= 1; piece /= 2) {
    while (shared + piece <= most && isSame(shared, shared + piece)) shared += piece;
  }
  return shared;
}

function linesIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The start of the line that is `back` lines before the line of `at`. */
function startOfLine(text: string, at: number, back: number): number {
  let start = at;
  for (let n = 0; n <= back; n++) {
    if (start === 0) return 0;
    start = text.lastIndexOf('\n', start - 1);
    if (start === -1) return 0;
  }
  return start + 1;
}

/** The end of the line that is `on` lines after the line of `at`. */
function endOfLine(text: string, at: number, on: number): number {
  let end = at;
  for (let n = 0; n <= on; n++) {
    const next = text.indexOf('\n', end);
    if (next === -1) return text.length;
    end = next + 1;
  }
  return end;
}

function plain({ oldStart, oldLines, newStart, newLines, lines }: Hunk): Hunk {
  // Without the remarks on missing final newlines: they are not lines.
  return { oldStart, oldLines, newStart, newLines, lines: lines.filter((line) => !line.startsWith('\\')) };
}

function moved(hunk: Hunk, lines: number): Hunk {
  return { ...hunk, oldStart: hunk.oldStart + lines, newStart: hunk.newStart + lines };
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
    const cost = jsonBytes(hunk);
    if (size + cost > MAX_PATCH_BYTES) return false;
    size += cost;
    return true;
  });
}
