import type { Logger } from './runtime.ts';

/** Does it the first time, and never again. */
export function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}

/** Warns of each text a single time. */
export function warnOnce(log: Logger): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) log('warn', text);
    said.add(text);
  };
}
