import type { Logger } from './runtime.ts';

/** Calls the action the first time only; later calls return what that one returned. */
export function once<Value>(action: () => Value): () => Value {
  let first: { value: Value } | undefined;
  let hasBegun = false;
  return () => {
    if (!hasBegun) {
      hasBegun = true;
      first = { value: action() };
    }
    return first?.value as Value;
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
