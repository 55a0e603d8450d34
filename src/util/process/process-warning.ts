import type { Logger } from '../runtime.ts';
import { printable } from '../text/printable.ts';

/**
 * Emits a warning of this process, for programs that set no other receiver. Node prints it to stderr; programs get it
 * by `process.on('warning')`, with the name `HeddleWarning`.
 */
export function warnProcess(message: string, detail?: string): void {
  process.emitWarning(shown(message), { type: 'HeddleWarning', ...(detail && { detail: shown(detail) }) });
}

/** Warnings quote servers, files and models, so their control characters are escaped for the terminal. */
function shown(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** How many texts are remembered; sessions of one engine mostly have the same warnings. */
const MAX_SAID = 1000;

/** A logger whose warnings become warnings of the process: each text once, but every one that has a stack. */
export function processLogger(): Logger {
  const said = new Set<string>();
  return (level, message, details) => {
    if (level !== 'warn' && level !== 'error') return;
    const stack = typeof details?.stack === 'string' ? details.stack : undefined;
    if (stack === undefined && said.has(message)) return;
    if (said.size < MAX_SAID) said.add(message);
    warnProcess(message, stack);
  };
}
