/** A program could not be started. */
export class SpawnError extends Error {
  override readonly name = 'SpawnError';
  /** For example ENOENT. */
  readonly code: string | undefined;
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.code = (cause as NodeJS.ErrnoException | null)?.code;
  }
}
