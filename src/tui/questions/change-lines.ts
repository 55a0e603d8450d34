import type { PatchHunk } from '../../wire/tools/tool-outputs.ts';
import { visible } from './shown-text.ts';
import { type ChangedLine, wordChanges } from './word-changes.ts';

/** One line of a change. */
export interface DiffLine {
  sign: '+' | '-' | ' ' | '\u2026';
  /** In the old file for a removed line, else in the new one; null between two places. */
  number: number | null;
  text: string;
  /** The part that differs from the other version of the line; null where there is none. */
  words: ChangedLine | null;
}

/** The lines of a change. Removed and added lines that stand for each other know their differing words. */
export function changeLines(hunks: readonly PatchHunk[], { ignoreBlanks = false } = {}): DiffLine[] {
  return hunks.flatMap((hunk, index) => [...(index > 0 ? [GAP] : []), ...linesOf(hunk, ignoreBlanks)]);
}

const GAP: DiffLine = { sign: '\u2026', number: null, text: '', words: null };

function linesOf({ oldStart, newStart, lines }: PatchHunk, ignoreBlanks: boolean): DiffLine[] {
  const found: DiffLine[] = [];
  let [before, after] = [oldStart, newStart];
  let at = 0;
  while (at < lines.length) {
    const removed = run(lines, at, '-');
    const added = run(lines, at + removed.length, '+');
    at += removed.length + added.length;
    if (removed.length + added.length > 0) {
      const pairs = pairsOf(removed, added);
      const isHidden = ignoreBlanks && plain(removed) === plain(added);
      if (isHidden) found.push({ ...GAP, text: 'only blanks differ here' });
      else {
        found.push(...removed.map((text, i) => line('-', before + i, text, pairs[i]?.old ?? null)));
        found.push(...added.map((text, i) => line('+', after + i, text, pairs[i]?.now ?? null)));
      }
      before += removed.length;
      after += added.length;
    } else {
      const text = lines[at++] ?? '';
      // `\ No newline at end of file`
      if (text.startsWith('\\')) found.push({ ...GAP, text: text.slice(2) });
      else {
        found.push(line(' ', after, text.slice(1), null));
        before++;
        after++;
      }
    }
  }
  return found;
}

function run(lines: readonly string[], from: number, sign: string): string[] {
  let to = from;
  while (lines[to]?.startsWith(sign)) to++;
  return lines.slice(from, to).map((text) => text.slice(1));
}

/** Lines are two versions of each other where as many were added as removed. */
function pairsOf(removed: readonly string[], added: readonly string[]): { old: ChangedLine; now: ChangedLine }[] {
  if (removed.length !== added.length) return [];
  return removed.map((old, index) => wordChanges(visible(old), visible(added[index] ?? '')));
}

function plain(lines: readonly string[]): string {
  return lines.join('\n').replaceAll(/\s+/g, '');
}

function line(sign: DiffLine['sign'], number: number, text: string, words: ChangedLine | null): DiffLine {
  return { sign, number, text: visible(text), words };
}
