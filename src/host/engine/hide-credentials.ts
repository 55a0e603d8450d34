import { isObject } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import type { Credential } from './models.ts';

/** Shorter values may be parts of ordinary words. */
const MIN_CHARS = 8;
const STAND_IN = '[credential hidden]';

/**
 * Takes the runtime's own credentials out of what tools found, before anybody sees or stores it: they are not in the
 * environment of commands (ruling G4), but a command may still look into that of its parent, or ask the same helper.
 * What holds none is handed back as it is. `secrets` is asked every time: keys change.
 */
export function credentialHider(secrets: () => readonly string[]): <T>(value: T) => T {
  return <T>(value: T) => {
    const hidden = secrets().filter((secret) => secret.length >= MIN_CHARS);
    // The longest first: one may lie in another.
    hidden.sort((a, b) => b.length - a.length);
    return hidden.length === 0 ? value : (without(hidden, value) as T);
  };
}

/** A logger that tells no credential, whoever says it. */
export function credentialFreeLogger(log: Logger, secrets: () => readonly string[]): Logger {
  const hide = credentialHider(secrets);
  return (level, message, facts) => log(level, hide(message), ...(facts ? [hide(facts)] : []));
}

/** The credentials that helpers and callbacks have given so far, besides those of the environment. */
export interface ObtainedSecrets {
  values(): readonly string[];
  /** The same source, whose answers are remembered here before anybody gets them. */
  noting(source: Credential): Credential;
  /** What has come from elsewhere: the tokens of MCP servers. */
  note(secrets: readonly string[]): void;
}

/** Sources that give a new token with every request must not fill the memory; what is older has long expired. */
const MAX_OBTAINED = 256;

export function createObtainedSecrets(): ObtainedSecrets {
  /** The oldest first. */
  const known = new Set<string>();
  const note = (secret: string) => {
    known.delete(secret);
    known.add(secret);
    const [oldest] = known;
    if (known.size > MAX_OBTAINED && oldest !== undefined) known.delete(oldest);
  };
  return {
    values: () => [...known],
    note(secrets) {
      for (const secret of secrets) note(secret);
    },
    noting: (source) => async () => {
      const credential = await source();
      for (const secret of [credential.apiKey, credential.authToken]) if (secret?.trim()) note(secret.trim());
      return credential;
    },
  };
}

function without(secrets: readonly string[], value: unknown): unknown {
  if (typeof value === 'string') return secrets.reduce(replaced, value);
  if (Array.isArray(value)) {
    return changedOrSame(
      value,
      value.map((each) => without(secrets, each)),
    );
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const hidden = entries.map(([, each]) => without(secrets, each));
  const isSame = entries.every(([, each], at) => each === hidden[at]);
  return isSame ? value : Object.fromEntries(entries.map(([key], at) => [key, hidden[at]]));
}

function replaced(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, STAND_IN) : text;
}

function changedOrSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return before.every((each, at) => each === after[at]) ? before : after;
}
