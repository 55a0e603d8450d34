import { isObject, type JsonObject } from '../util/json.ts';
import type { PatchHunk } from '../wire/tools/tool-outputs.ts';
import type { FilePatch } from './blocks.ts';
import { objectsIn, sumOf, textField, textsIn } from './line-fields.ts';

/** The change of a file that a structured result tells of; null where it tells of none. */
export function patchOf(data: unknown): FilePatch | null {
  if (!isObject(data)) return null;
  if (Array.isArray(data.structuredPatch)) return filePatch(data);
  if (typeof data.notebook_path === 'string') return notebookPatch(data);
  return null;
}

/** The changes of the files that a command has changed. */
export function commandPatches(data: unknown): FilePatch[] {
  return objectsIn(data, 'changedFiles').map(filePatch);
}

function filePatch(data: JsonObject): FilePatch {
  const hunks = objectsIn(data, 'structuredPatch').map(hunkOf);
  const isNew = data.type === 'create';
  const file = textField(data, 'filePath');
  // A new file has no hunks: all of its lines are new.
  if (isNew && hunks.length === 0) return wholeFile(file, textField(data, 'content'));
  return { file, hunks, ...counted(hunks), isNew };
}

function wholeFile(file: string, content: string): FilePatch {
  const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
  const hunk = {
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: lines.length,
    lines: lines.map((line) => `+${line}`),
  };
  return { file, hunks: lines.length === 0 ? [] : [hunk], added: lines.length, removed: 0, isNew: true };
}

/** A cell has no hunks: its new source is what there is to see. */
function notebookPatch(data: JsonObject): FilePatch {
  const { hunks, added } = wholeFile('', data.edit_mode === 'delete' ? '' : textField(data, 'new_source'));
  return { file: textField(data, 'notebook_path'), hunks, added, removed: 0, isNew: false };
}

function hunkOf(hunk: JsonObject): PatchHunk {
  return {
    oldStart: sumOf(hunk, 'oldStart'),
    oldLines: sumOf(hunk, 'oldLines'),
    newStart: sumOf(hunk, 'newStart'),
    newLines: sumOf(hunk, 'newLines'),
    lines: textsIn(hunk, 'lines'),
  };
}

function counted(hunks: readonly PatchHunk[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { lines } of hunks) {
    for (const line of lines) {
      if (line.startsWith('+')) added += 1;
      if (line.startsWith('-')) removed += 1;
    }
  }
  return { added, removed };
}

/** The lines that a call has changed: its own, or those of the agent that it ran. */
export function changedLines(data: unknown, patch: FilePatch | null): { added: number; removed: number } {
  if (patch) return patch;
  const stats = isObject(data) ? data.toolStats : undefined;
  return { added: sumOf(stats, 'linesAdded'), removed: sumOf(stats, 'linesRemoved') };
}
