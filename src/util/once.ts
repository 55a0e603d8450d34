import type { Logger } from './runtime.ts';

/** Calls the action the first time only. */
export function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    action();
  };
}

/** Logs each warning once. */
export function warnOnce(log: Logger): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) log('warn', text);
    said.add(text);
  };
}
