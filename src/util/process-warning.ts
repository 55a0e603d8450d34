import { printable } from './printable.ts';
import type { Logger } from './runtime.ts';

/**
 * Tells whoever runs this process, where nobody has asked to be told another way. Node prints it on stderr; programs hear
 * of it with `process.on('warning')`, as a warning named `HeddleWarning` (ruling K51).
 */
export function warnProcess(message: string, detail?: string): void {
  process.emitWarning(shown(message), { type: 'HeddleWarning', ...(detail && { detail: shown(detail) }) });
}

/** Warnings quote servers, files and models: nothing of them may act on the terminal. */
function shown(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** What is remembered as said; sessions of one engine mostly have the same to say. */
const MAX_SAID = 1000;

/** Warnings become those of the process, each once in the life of a logger; of what has a stack, every one (ruling K51). */
export function processLogger(): Logger {
  const said = new Set<string>();
  return (level, message, facts) => {
    if (level !== 'warn' && level !== 'error') return;
    const stack = typeof facts?.stack === 'string' ? facts.stack : undefined;
    if (stack === undefined && said.has(message)) return;
    if (said.size < MAX_SAID) said.add(message);
    warnProcess(message, stack);
  };
}
