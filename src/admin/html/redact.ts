import { isObject } from '../../util/json.ts';

/** What a text may have that only its writer should know, and what stands there instead. */
const FORMS: readonly { name: string; pattern: RegExp; shown?: string }[] = [
  { name: 'private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g },
  { name: 'key', pattern: /\bsk-(?:ant-|proj-|or-v1-)?[\w-]{16,}/g },
  { name: 'key', pattern: /\b(?:AKIA|ASIA|ABSK)[A-Z0-9]{12,}\b/g },
  { name: 'key', pattern: /\bAIza[\w-]{30,}/g },
  {
    name: 'token',
    pattern: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{20,}|pypi-[\w-]{16,})/g,
  },
  { name: 'token', pattern: /\bxox[abeprs]-[\w-]{10,}/g },
  { name: 'token', pattern: /\bhdl_[0-9a-f]+_[\w-]{20,}/g },
  { name: 'token', pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}/g },
  { name: 'token', pattern: /(?<=\b(?:bearer|basic)\s)[\w.~+/=-]{16,}/gi },
  { name: 'password', pattern: /(?<=\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s/:@]{1,100}:)[^\s/@]{3,}(?=@)/gi },
  {
    name: 'secret',
    pattern:
      /(?<=\b[\w-]{0,40}(?:api_?key|apikey|secret|token|passwd|password|credential)[\w-]{0,20}["']?\s{0,2}[=:]\s{0,2}["']?)(?!\[)[^\s"',;&|<>()[\]{}$]{6,}/gi,
  },
];

export interface Redactor {
  /** The value with every text in it masked. */
  redact<T>(value: T): T;
  /** How many texts were masked so far. */
  readonly count: number;
}

/** Masks what looks like a credential, the values that are known to be some, and the way to the user's home. */
export function createRedactor({ secrets, homes }: { secrets: readonly string[]; homes: readonly string[] }): Redactor {
  const known = [...secrets].filter((secret) => secret.length >= 8).sort((a, b) => b.length - a.length);
  const folders = homes.filter((home) => home.length > 1).sort((a, b) => b.length - a.length);
  let count = 0;
  const maskText = (text: string): string => {
    let masked = text;
    for (const secret of known) {
      masked = masked.replaceAll(secret, () => {
        count++;
        return '[redacted]';
      });
    }
    for (const { name, pattern } of FORMS) {
      masked = masked.replace(pattern, (found) => {
        if (found.startsWith('[redacted')) return found;
        count++;
        return `[redacted ${name}]`;
      });
    }
    for (const home of folders) masked = masked.replaceAll(home, '~');
    return masked;
  };
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string') return value.length < 3 ? value : maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (!isObject(value)) return value;
    // The bytes of an image are no text.
    if (value.type === 'base64') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [maskText(key), mask(each)]));
  };
  return {
    redact: <T>(value: T) => mask(value) as T,
    get count() {
      return count;
    },
  };
}
