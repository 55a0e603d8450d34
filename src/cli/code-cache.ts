import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from 'node:vm';
import { userCodeCache } from '../util/own/user-code-cache.ts';

/**
 * The compiled code of a bundle, stored by an earlier run. It is in the folder of the bundles: a user who can write
 * there could change the bundle itself, so the cache is trusted as much. Where that folder is not writable, it is in
 * the user's cache folder, which must belong to the user alone. No tool may write to either of them
 * (`src/util/own/own-program.ts`).
 *
 * A file is the SHA-256 of the rest, the size of all bytecode in the process that wrote it, and V8's code.
 */
interface CodeCache {
  /** Undefined where there is no usable cache. */
  code: Buffer | undefined;
  /** To be called when the process ends, when the code that this run needed is compiled. */
  store(script: Script): void;
}

export interface CodeCacheOptions {
  /** The folder of the built program. */
  dist: string;
  /** The name of the bundle. */
  name: string;
  /** The digest of its text: V8 itself would accept the code for any text of the same length. */
  tag: string;
}

const DIGEST_BYTES = 32;
const HEAD_BYTES = DIGEST_BYTES + 8;
/** A run that has compiled this much beyond the stored code stores all of it again, for later runs on the same path. */
const WORTH_STORING = 64 * 1024;
/** How many versions may keep their code in the user's cache folder. */
const MOST_VERSIONS = 8;

export function openCodeCache({ dist, name, tag }: CodeCacheOptions): CodeCache {
  const folder = `${tag}-${process.versions.v8}-${process.arch}`;
  const installed = join(dist, 'code-cache', folder, name);
  const personal = () => join(userCodeCache(process.env, builtin('node:os').homedir()), folder, name);
  const stored = readCode(installed) ?? (isSafe(personal()) ? readCode(personal()) : undefined);
  // `store` needs this number only: the code itself, megabytes, is free once V8 has read it, and a smaller process starts
  // commands faster.
  const storedBytecode = stored?.readDoubleLE(DIGEST_BYTES);
  return {
    code: stored?.subarray(HEAD_BYTES),
    store(script) {
      // V8 flags change the code, and the next run will not have them.
      if (process.execArgv.length > 0 || process.env.NODE_OPTIONS) return;
      const bytecode = builtin('node:v8').getHeapCodeStatistics().bytecode_and_metadata_size;
      const isUsed = storedBytecode !== undefined && !script.cachedDataRejected;
      if (isUsed && bytecode - storedBytecode < WORTH_STORING) return;
      const file = createFile(installed) ?? createFile(personal(), { isPersonal: true });
      if (file) writeCode(file, withHead(script.createCachedData(), bytecode));
    },
  };
}

/** Loaded only when needed: most starts do without it. */
function builtin<Name extends 'node:crypto' | 'node:os' | 'node:v8'>(name: Name) {
  return process.getBuiltinModule(name);
}

/** V8 would run any bytes, and crash or misbehave: a damaged file is not used. */
function readCode(file: string): Buffer | undefined {
  try {
    const stored = readFileSync(file);
    return digest(stored.subarray(DIGEST_BYTES)).equals(stored.subarray(0, DIGEST_BYTES)) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function withHead(code: Buffer, bytecode: number): Buffer {
  const stored = Buffer.alloc(HEAD_BYTES + code.length);
  stored.writeDoubleLE(bytecode, DIGEST_BYTES);
  code.copy(stored, HEAD_BYTES);
  digest(stored.subarray(DIGEST_BYTES)).copy(stored);
  return stored;
}

function digest(bytes: Buffer): Buffer {
  return builtin('node:crypto').createHash('sha256').update(bytes).digest();
}

interface NewFile {
  path: string;
  /** Where it is written before it gets its place. */
  temporary: string;
}

/**
 * Undefined where no file can be written: then nothing is stored, and every start compiles. Asked first, because collecting
 * the code takes as long as compiling much of it.
 */
function createFile(path: string, { isPersonal = false } = {}): NewFile | undefined {
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, ...(isPersonal && { mode: 0o700 }) });
    if (isPersonal && !isSafe(path)) return undefined;
    writeFileSync(temporary, '', { flag: 'wx', ...(isPersonal && { mode: 0o600 }) });
    if (isPersonal) removeOldest(dirname(dirname(path)));
    return { path, temporary };
  } catch {
    return undefined;
  }
}

function writeCode({ path, temporary }: NewFile, stored: Buffer): void {
  try {
    writeFileSync(temporary, stored);
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** Whether the folder of a file and the one above are real folders that this user owns and no one else can use. */
function isSafe(file: string): boolean {
  const user = process.getuid?.();
  return [dirname(file), dirname(dirname(file))].every((folder) => {
    try {
      const stats = lstatSync(folder);
      return stats.isDirectory() && stats.uid === user && (stats.mode & 0o077) === 0;
    } catch {
      return false;
    }
  });
}

/** Every version of this program and of Node has a folder; the most recently written ones stay. */
function removeOldest(folder: string): void {
  const writtenAt = (path: string) => statSync(path).mtimeMs;
  const paths = readdirSync(folder).map((name) => join(folder, name));
  const old = paths.sort((a, b) => writtenAt(b) - writtenAt(a)).slice(MOST_VERSIONS);
  for (const path of old) rmSync(path, { recursive: true, force: true });
}
