import type { Logger } from '../util/runtime.ts';
import { mapTexts, spellings } from './texts.ts';

/** A text as it may be shown, logged or stored. */
export type Hide = (text: string) => string;

const STAND_IN = '***';
/** Shorter ones (`x`, `1`) are no secrets, and hiding them would leave no word whole. */
const MIN_SECRET_CHARS = 4;
/** `//user:password@` in front of a host, in any address. */
const USER_INFO = /(\/\/)[^\s/?#"'<>]+@/g;

/**
 * Hides credentials in what a far end says and what is told about it: whoever gets them may echo them. Besides the given
 * secrets that is the user info of any address.
 */
export function createHide(secrets: readonly string[]): Hide {
  const longEnough = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
  // The longest first: one may lie in another.
  const hidden = [...new Set(longEnough.flatMap(spellings))].sort((a, b) => b.length - a.length);
  return (text) =>
    hidden.reduce((rest, secret) => rest.replaceAll(secret, STAND_IN), text).replace(USER_INFO, `$1${STAND_IN}@`);
}

/** A logger for code that may repeat what a far end has said. */
export function hidingLogger(log: Logger, hide: Hide): Logger {
  return (level, message, facts) =>
    log(level, hide(message), ...(facts ? [mapTexts(facts, hide) as typeof facts] : []));
}
