import { HeddleError } from '../wire/errors.ts';
import { type PermissionMode, permissionModes, toPermissionMode } from '../wire/permission-modes.ts';

export type { PermissionMode };

/** Reads a mode that a user or host wrote. Throws `invalid_option`, naming the choices, for any other text. */
export function parseMode(text: string): PermissionMode {
  const mode = toPermissionMode(text);
  if (mode !== undefined) return mode;
  const choices = [...permissionModes, 'manual'];
  throw new HeddleError('invalid_option', `Unknown permission mode '${text}'. Choose one of: ${choices.join(', ')}.`, {
    facts: { mode: text, choices },
  });
}
