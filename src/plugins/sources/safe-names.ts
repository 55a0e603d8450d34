import { pluginError } from '../plugin-error.ts';

/** The most that a plugin may have. */
export const MAX_FILES = 10_000;
export const MAX_BYTES = 50 * 1024 * 1024;
const MAX_PATH = 400;
const MAX_DEPTH = 32;

/** Takes part of the paths of one folder, so that no two of them are one file on another system. */
export interface SafeNames {
  /** Counts a file, with its size. Throws `plugin_failed` for a path that may not be, and for too many or too large ones. */
  addFile(path: string, bytes: number): void;
  addFolder(path: string): void;
}

/** `what` is named in errors: the archive, the repository. */
export function safeNames(what: string): SafeNames {
  const seen = new Map<string, { path: string; isFile: boolean }>();
  let count = 0;
  let total = 0;
  const refuse = (path: string, why: string) => pluginError(`${what} has '${path.slice(0, 200)}': ${why}`);

  function add(path: string, isFile: boolean): void {
    const why = whyUnsafe(path);
    if (why !== null) throw refuse(path, why);
    const parts = path.split('/');
    for (let at = 1; at <= parts.length; at++) {
      const part = parts.slice(0, at).join('/');
      const isLeaf = isFile && at === parts.length;
      const key = part.normalize('NFKC').toLowerCase();
      const other = seen.get(key);
      if (!other) {
        if (++count > MAX_FILES * 2) throw pluginError(`${what} has more than ${MAX_FILES} files`);
        seen.set(key, { path: part, isFile: isLeaf });
      } else if (other.path !== part) throw refuse(path, `on some systems it is the same as '${other.path}'`);
      else if (isLeaf || other.isFile) throw refuse(path, 'it is there twice');
    }
  }

  let files = 0;
  return {
    addFile(path, bytes) {
      if (++files > MAX_FILES) throw pluginError(`${what} has more than ${MAX_FILES} files`);
      total += bytes;
      if (total > MAX_BYTES) throw pluginError(`${what} has more than ${MAX_BYTES / 1024 / 1024} MB`);
      add(path, true);
    },
    addFolder(path) {
      add(path, false);
    },
  };
}

/** Why a path may not be a file of a plugin; null: it may. */
function whyUnsafe(path: string): string | null {
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'no absolute paths';
  if (path.includes('\\')) return 'no backslashes';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(path)) {
    return 'no invisible characters';
  }
  if (path.includes('\uFFFD')) return 'its name is not UTF-8';
  const parts = path.split('/');
  if (path.length > MAX_PATH || parts.length > MAX_DEPTH) return 'the path is too long';
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') return `no '${part}' in a path`;
    if (Buffer.byteLength(part) > 255) return 'the path is too long';
    if (/^\.git$/i.test(part) || /^git~\d$/i.test(part)) return 'no .git';
    if (/[. ]$/.test(part)) return 'no name that ends with a dot or a blank';
    if (/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part)) return 'the name of a device';
  }
  if (/^\.(in_use|orphaned_at)$/.test(parts[0] ?? '')) return 'that file belongs to the cache';
  return null;
}

/** A file or a folder in an archive. */
export interface ArchiveEntry {
  path: string;
  isFolder: boolean;
  isProgram: boolean;
  data: Buffer;
}
