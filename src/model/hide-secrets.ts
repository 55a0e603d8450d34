import type { Logger } from '../util/runtime.ts';
import { mapTexts, spellings } from './json-texts.ts';

/** A text as it may be shown, logged or stored. */
export type Hide = (text: string) => string;

const PLACEHOLDER = '***';
/** Shorter values (`x`, `1`) are not secrets, and hiding them would mangle ordinary words. */
const MIN_SECRET_CHARS = 4;
/** `//user:password@` in front of a host, in any address. */
const USER_INFO = /(\/\/)[^\s/?#"'<>]+@/g;

/**
 * Hides credentials in texts from a server and in texts about it, because a server may echo them. It hides the given
 * secrets and the user info of any address.
 */
export function createHide(secrets: readonly string[]): Hide {
  const longEnough = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARS);
  // The longest first: one may contain another.
  const hidden = [...new Set(longEnough.flatMap(spellings))].sort((a, b) => b.length - a.length);
  return (text) =>
    hidden.reduce((rest, secret) => rest.replaceAll(secret, PLACEHOLDER), text).replace(USER_INFO, `$1${PLACEHOLDER}@`);
}

/** A logger for code that may repeat texts from a server. */
export function hidingLogger(log: Logger, hide: Hide): Logger {
  return (level, message, details) =>
    log(level, hide(message), ...(details ? [mapTexts(details, hide) as typeof details] : []));
}
