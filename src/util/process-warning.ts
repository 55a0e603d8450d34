/**
 * Tells whoever runs this process, where nobody has asked to be told another way. Node prints it on stderr; programs hear
 * of it with `process.on('warning')`, as a warning named `HeddleWarning` (ruling K51).
 */
export function warnProcess(message: string, detail?: string): void {
  process.emitWarning(message, { type: 'HeddleWarning', ...(detail && { detail }) });
}
