import { isObject, type JsonObject } from '../../util/json.ts';

export const MASKED = '***';

/** Names whose values are often credentials. It masks too many rather than too few. */
const CREDENTIAL = /key|token|secret|pass|pwd|credential|auth|cookie|header|(?:^|_)pat$/i;
/** `MAX_THINKING_TOKENS` and similar names are no credentials. */
const COUNT = /tokens$/i;

/** The settings for display: without the values of credentials, and without the passwords in addresses. */
export function maskSettings(values: JsonObject): JsonObject {
  return maskValue(values, []) as JsonObject;
}

/** The value of one setting for display. */
export function maskValue(value: unknown, path: readonly string[]): unknown {
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner, [...path, key])]));
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, path));
  if (isCredential(path, value)) return MASKED;
  return typeof value === 'string' ? withoutUserInfo(value) : value;
}

/** Only variables and headers hold credentials; the names of rules and models are not secret. */
function isCredential(path: readonly string[], value: unknown): boolean {
  const holder = path.at(-2);
  const name = path.at(-1) ?? '';
  if (holder !== 'env' && holder !== 'headers') return false;
  const isCount = COUNT.test(name) && /^\d+$/.test(String(value));
  return value !== '' && !isCount && (holder === 'headers' || CREDENTIAL.test(name));
}

function withoutUserInfo(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^/?#\s@]+@/g, `$1${MASKED}@`);
}
