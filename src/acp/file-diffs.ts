import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { FilePatch } from '../view/blocks.ts';
import { commandPatches, patchOf } from '../view/patches.ts';

/** Above this size an editor gets the changed parts with their context, not the whole file. */
const MAX_WHOLE = 256 * 1024;

/** The change that a structured result of a tool tells of, as a diff of the protocol. */
export function fileDiffs(data: unknown): JsonObject[] {
  const patch = patchOf(data);
  if (!patch || patch.file === '') return [];
  const content = isObject(data) ? stringField(data, 'content') : undefined;
  // Hunks do not tell whether the last line ends.
  if (patch.isNew && content !== undefined && content.length <= MAX_WHOLE) {
    return [{ type: 'diff', path: patch.file, oldText: null, newText: content }];
  }
  return diffsOf(patch, isObject(data) ? stringField(data, 'originalFile') : undefined);
}

/** One diff for each file that a command has changed. */
export function commandDiffs(data: unknown): JsonObject[] {
  const changes = isObject(data) && Array.isArray(data.changedFiles) ? data.changedFiles : [];
  return commandPatches(data).flatMap((patch, at) => {
    const content = stringField(changes[at], 'content');
    if (content !== undefined) return [{ type: 'diff', path: patch.file, oldText: null, newText: content }];
    const [diff, ...more] = diffsOf(patch, stringField(changes[at], 'originalFile'));
    return diff && more.length === 0 ? [diff] : joined(patch);
  });
}

/** The hunks of a file that is not known as a whole, as one diff. */
function joined({ file: path, hunks }: FilePatch): JsonObject[] {
  const side = (other: '+' | '-') => hunks.map(({ lines }) => sideOf(lines, other)).join('\n');
  return hunks.length === 0 ? [] : [{ type: 'diff', path, oldText: side('+'), newText: side('-') }];
}

/** `before`: the whole file as it was, where it is known. */
export function diffsOf(patch: FilePatch, before?: string): JsonObject[] {
  const { file: path, hunks, isNew } = patch;
  if (before !== undefined && before.length <= MAX_WHOLE) {
    const after = applied(before, hunks);
    if (after !== null) return [{ type: 'diff', path, oldText: before, newText: after }];
  }
  if (isNew)
    return [{ type: 'diff', path, oldText: null, newText: hunks.map((hunk) => sideOf(hunk.lines, '-')).join('\n') }];
  return hunks.map(({ lines }) => ({ type: 'diff', path, oldText: sideOf(lines, '+'), newText: sideOf(lines, '-') }));
}

/** The lines of a hunk without those of the other side. */
function sideOf(lines: readonly string[], other: '+' | '-'): string {
  return lines
    .filter((line) => !line.startsWith(other) && !line.startsWith('\\'))
    .map((line) => line.slice(1))
    .join('\n');
}

/** The file after a change; null where the hunks do not fit it. */
function applied(before: string, hunks: FilePatch['hunks']): string | null {
  const lines = before.split('\n');
  const after: string[] = [];
  let at = 0;
  for (const { oldStart, lines: changes } of hunks) {
    const start = Math.max(0, oldStart - 1);
    if (start < at || start > lines.length) return null;
    after.push(...lines.slice(at, start));
    at = start;
    for (const change of changes) {
      const [mark, text] = [change[0], change.slice(1)];
      if (mark === '\\') continue;
      if (mark !== '+') {
        if (lines[at] !== text) return null;
        at++;
      }
      if (mark !== '-') after.push(text);
    }
  }
  return [...after, ...lines.slice(at)].join('\n');
}
