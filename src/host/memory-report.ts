import type { ListedMemory } from './memory.ts';

/** What `/memory` says: each memory file, whose it is, how long and why it counts; then the rules that wait for a file. */
export function memoryReport(files: readonly ListedMemory[]): string {
  const loaded = files.filter(({ bytes }) => bytes !== null);
  const waiting = files.filter(({ bytes }) => bytes === null);
  const parts = [
    ...(loaded.length > 0 ? ['Memory files in force:', ...loaded.map(lineOf)] : ['No memory files are in force.']),
    ...(waiting.length > 0 ? ['Rules that wait for a file they are for:', ...waiting.map(lineOf)] : []),
  ];
  return parts.join('\n');
}

function lineOf(file: ListedMemory): string {
  const { path, kind, bytes } = file;
  const facts = [kind, ...(bytes === null ? [] : [`${bytes} bytes`]), whyOf(file)];
  return `  ${path} (${facts.join(', ')})`;
}

function whyOf({ importedBy, globs, trigger }: ListedMemory): string {
  if (importedBy !== undefined) return `imported by ${importedBy}`;
  const isFor = globs ? `for ${globs.join(' ')}` : null;
  const because = trigger === undefined ? null : `because of ${trigger}`;
  return [isFor, because].filter((part) => part !== null).join(', ') || 'from the start';
}
