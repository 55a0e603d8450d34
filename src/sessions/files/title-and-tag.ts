import { readSync } from 'node:fs';
import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';

/**
 * The title and the tag of an open transcript. Lists read only the end of a file, so both are written again before they
 * are too far from it; the last one of a file counts.
 */
export type SessionMarks = ReadonlyMap<string, Mark>;

interface Mark {
  /** With its newline. */
  line: string;
  /** Its offset in the file, or a little less. */
  at: number;
}

/** Lists read more than this: 16 KB. */
const IN_SIGHT = 12 * 1024;
/** Other writers may have placed them farther from the end. */
const LOOKED_AT = 64 * 1024;

/** The marks near the end of a file, together with those already known. */
export function marksAtEnd(fd: number, size: number, known: SessionMarks): SessionMarks {
  const from = Math.max(0, size - LOOKED_AT);
  const bytes = Buffer.allocUnsafe(size - from);
  const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
  let marks = known;
  for (const { 0: line, index } of text.matchAll(MARK_LINE)) {
    // The first line is incomplete when the read starts inside the file.
    if (index === 0 && from > 0) continue;
    const entry = tryParseJson(line);
    const at = from + Buffer.byteLength(text.slice(0, index));
    if (isObject(entry)) marks = withMark(marks, entry as Entry, { line: `${line}\n`, at });
  }
  return marks;
}

const MARK_LINE = /^\{"type":\s*"(?:custom-title|tag)"[^\n]*(?=\n)/gm;

/** The marks after this entry is written. An empty value removes its mark. */
export function withMark(marks: SessionMarks, entry: Entry, mark: Mark): SessionMarks {
  const value = markOf(entry);
  if (value === undefined) return marks;
  const others = [...marks].filter(([type]) => type !== entry.type);
  return new Map(value === '' ? others : [...others, [entry.type, mark]]);
}

function markOf(entry: Entry): string | undefined {
  if (entry.type === 'custom-title') return stringField(entry, 'customTitle');
  return entry.type === 'tag' ? stringField(entry, 'tag') : undefined;
}

/** The lines that must be written again at the end of a file of this size, and the marks afterwards. */
export function repeatedMarks(marks: SessionMarks, size: number): { lines: string; marks: SessionMarks } {
  const due = [...marks].filter(([, { at }]) => size - at > IN_SIGHT);
  const moved = due.map(([type, { line }]): [string, Mark] => [type, { line, at: size }]);
  return { lines: due.map(([, { line }]) => line).join(''), marks: new Map([...marks, ...moved]) };
}
