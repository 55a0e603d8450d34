import { refuseSettings } from './settings-file.ts';

/** The names in a dotted key. A name with dots is quoted: `modelLimits."openai/gpt-4.1".contextWindow`. */
export function parseKey(text: string): string[] {
  const names = [...text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\.|$)|([^."]+)(?:\.|$)/gy)];
  const length = names.reduce((sum, [whole]) => sum + whole.length, 0);
  if (names.length === 0 || length !== text.length || text.endsWith('.')) {
    throw refuseSettings(`'${text}' is no key of a setting: write names with dots between them`);
  }
  const path = names.map(([, quoted, plain]) => plain ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1'));
  if (path.includes('__proto__')) throw refuseSettings('__proto__ cannot be the name of a setting');
  return path;
}

/** The text that `parseKey` reads back. */
export function formatKey(path: readonly string[]): string {
  return path.map((name) => (/^[^."\s\\]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`)).join('.');
}
