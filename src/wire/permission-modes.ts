/** Every mode of both reference versions. */
export const permissionModes = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
  'delegate',
  'auto',
] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** The names that a user may write: the modes, and `manual`, the reference's other name for `default`. */
export const PERMISSION_MODE_CHOICES = [
  'acceptEdits',
  'auto',
  'bypassPermissions',
  'default',
  'delegate',
  'dontAsk',
  'manual',
  'plan',
] as const;

/**
 * The mode that a name means, or undefined when there is no such mode.
 *
 * @example
 * ```ts
 * console.log(toPermissionMode('manual')); // default
 * ```
 */
export function toPermissionMode(name: string): PermissionMode | undefined {
  if (name === 'manual') return 'default';
  return permissionModes.find((mode) => mode === name);
}
