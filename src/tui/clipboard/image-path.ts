import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/**
 * The path of an image, where a paste is nothing but one: terminals paste the paths of files that are dropped into
 * them, quoted or with backslashes, or as addresses. Null for any other text.
 */
export function imagePathIn(pasted: string, { cwd, home }: { cwd: string; home: string | null }): string | null {
  const text = pasted.trim();
  if (text === '' || text.length > 4096 || /[\n\r\0]/.test(text)) return null;
  const path = fromAddress(text) ?? unquoted(text);
  if (path === null || !IMAGE.test(path)) return null;
  if (path.startsWith('~/')) return home === null ? null : join(home, path.slice(2));
  // Words that only end like a file are text: a dropped file has a whole path.
  return isAbsolute(path) ? path : /^\.{1,2}\//.test(path) ? resolve(cwd, path) : null;
}

function fromAddress(text: string): string | null {
  if (!text.startsWith('file://')) return null;
  try {
    return fileURLToPath(text);
  } catch {
    return null;
  }
}

/** As a shell would read one word; null where there are more. */
function unquoted(text: string): string | null {
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2] ?? null;
  if (/["']/.test(text)) return null;
  return /^(?:[^\s\\]|\\.)+$/s.test(text) ? text.replaceAll(/\\(.)/gs, '$1') : null;
}
