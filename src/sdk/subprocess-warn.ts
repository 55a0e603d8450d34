/** Tells the developer, where no callback was given to be told through. */
export function warn(message: string): void {
  process.emitWarning(message, 'HeddleWarning');
}
