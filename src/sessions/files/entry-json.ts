import type { Entry } from '../../wire/entries.ts';

/**
 * The JSON text of an entry. JSON.parse reads any depth, but JSON.stringify overflows the stack at some thousands of
 * levels: such an entry could be read and never be copied.
 */
export function entryJson(entry: Entry): string {
  try {
    return JSON.stringify(entry);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepJson(entry);
  }
}

/** Output that is still to be written: a finished text, or a value. */
type Piece = string | { value: unknown };

function deepJson(whole: unknown): string {
  const written: string[] = [];
  /** A stack: the next piece is the last item. */
  const todo: Piece[] = [{ value: whole }];
  for (let piece = todo.pop(); piece !== undefined; piece = todo.pop()) {
    if (typeof piece === 'string') written.push(piece);
    else for (const part of partsOf(piece.value).reverse()) todo.push(part);
  }
  return written.join('');
}

function partsOf(value: unknown): Piece[] {
  if (Array.isArray(value)) {
    return ['[', ...value.flatMap((item, i): Piece[] => [i === 0 ? '' : ',', { value: item ?? null }]), ']'];
  }
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const parts = fields.flatMap(([key, field], i): Piece[] => [
    `${i === 0 ? '' : ','}${JSON.stringify(key)}:`,
    { value: field },
  ]);
  return ['{', ...parts, '}'];
}
