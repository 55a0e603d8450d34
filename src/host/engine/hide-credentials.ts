import { isObject } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Credential } from './engine-models.ts';

/** Shorter values may be parts of ordinary words. */
const MIN_CHARS = 8;
const PLACEHOLDER = '[credential hidden]';

/**
 * Replaces the runtime's own credentials in the outputs of tools, before they are shown or stored. Commands do not get
 * them in their environment, but a command may read that of its parent, or run the same helper. A value without
 * credentials is returned unchanged; `secrets` is called each time, because keys change.
 */
export function credentialHider(secrets: () => readonly string[]): <T>(value: T) => T {
  return <T>(value: T) => {
    const hidden = secrets().filter((secret) => secret.length >= MIN_CHARS);
    // The longest first: one secret may contain another.
    hidden.sort((a, b) => b.length - a.length);
    return hidden.length === 0 ? value : (without(hidden, value) as T);
  };
}

/** A logger that replaces credentials in every message. */
export function credentialFreeLogger(log: Logger, secrets: () => readonly string[]): Logger {
  const hide = credentialHider(secrets);
  return (level, message, details) => log(level, hide(message), ...(details ? [hide(details)] : []));
}

/** The credentials that helpers and callbacks have returned so far, in addition to those of the environment. */
export interface ObtainedSecrets {
  values(): readonly string[];
  /** The same source, which notes each credential here before it returns it. */
  noting(source: Credential): Credential;
  /** Notes secrets from other sources, such as the tokens of MCP servers. */
  note(secrets: readonly string[]): void;
}

/** Bounds the memory for sources that return a new token with every request. Older tokens have expired. */
const MAX_OBTAINED = 256;

export function createObtainedSecrets(): ObtainedSecrets {
  /** Ordered from the oldest to the newest. */
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
  return text.includes(secret) ? text.replaceAll(secret, PLACEHOLDER) : text;
}

function changedOrSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return before.every((each, at) => each === after[at]) ? before : after;
}
