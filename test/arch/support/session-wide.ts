import type ts from 'typescript';
import { fileOf } from './program.ts';

/** The types of src/host through which everything of a session can be reached. */
export const SERVICES: ReadonlySet<string> = new Set(['SessionServices', 'Thread']);

/** Those, and the session itself. */
export const SESSION_WIDE: ReadonlySet<string> = new Set([...SERVICES, 'Session']);

/** The name of a type of src/host out of a set; null and undefined in a union do not hide it. */
export function hostTypeName(type: ts.Type, names: ReadonlySet<string>): string | null {
  const parts = type.isUnion() ? type.types : [type];
  for (const { symbol } of parts) {
    const declaration = symbol?.declarations?.[0];
    if (symbol && names.has(symbol.name) && declaration && fileOf(declaration).startsWith('src/host/'))
      return symbol.name;
  }
  return null;
}
