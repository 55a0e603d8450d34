import { isObject } from '../util/json.ts';
import { type Env, secretValues } from './home.ts';

/** Shorter values may be parts of ordinary words. */
const MIN_CHARS = 8;
const STAND_IN = '[credential hidden]';

/**
 * Takes the runtime's own credentials out of what tools found, before anybody sees or stores it: they are not in the
 * environment of commands (ruling G4), but a command may still look into that of its parent. What holds none is handed
 * back as it is.
 */
export function credentialHider(env: Env): <T>(value: T) => T {
  const secrets = secretValues(env).filter((secret) => secret.length >= MIN_CHARS);
  if (secrets.length === 0) return (value) => value;
  const hide = (value: unknown): unknown => {
    if (typeof value === 'string') return secrets.reduce(replaced, value);
    if (Array.isArray(value)) return changedOrSame(value, value.map(hide));
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const hidden = entries.map(([, each]) => hide(each));
    const isSame = entries.every(([, each], at) => each === hidden[at]);
    return isSame ? value : Object.fromEntries(entries.map(([key], at) => [key, hidden[at]]));
  };
  return <T>(value: T) => hide(value) as T;
}

function replaced(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, STAND_IN) : text;
}

function changedOrSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return before.every((each, at) => each === after[at]) ? before : after;
}
