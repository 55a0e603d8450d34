import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { configHome, type Env } from '../host/engine/environment.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import { replacePrivateText } from '../util/files/replace-file.ts';
import { messageOf } from '../util/message-of.ts';
import {
  choiceFile,
  findConfigHome,
  type HomeSource,
  isDirectory,
  ownFolder,
  unusedReferenceHome,
} from '../util/own/config-home.ts';
import { shellWord } from '../util/text/shell-word.ts';
import { HeddleError } from '../wire/errors.ts';

/** The config home in use, and the reason. */
export interface HomeView {
  path: string;
  source: HomeSource;
  /** The file that stores the choice of another home; null without a HOME. */
  file: string | null;
}

/** Throws like `configHome`. */
export function viewHome(env: Env): HomeView {
  const path = configHome(env);
  const found = findConfigHome(env);
  const own = ownFolder(env);
  const source = found && 'source' in found ? found.source : 'default';
  return { path, source, file: own === null ? null : choiceFile(own) };
}

/** Stores the config home that is used where no variable sets one. Rejects with `invalid_option`. */
export async function chooseHome(directory: string, env: Env, cwd: string): Promise<HomeView> {
  const file = fileOf(env);
  const path = resolve(cwd, directory);
  if (path === dirname(file)) {
    await resetHome(env);
    return viewHome(env);
  }
  if (/[\n\r]/.test(path)) throw refuse('A config home cannot have a line break in its path');
  if (!isDirectory(path)) {
    throw refuse(`${path} is not a directory. Make it first: mkdir -m 700 ${shellWord(path)}`);
  }
  try {
    await writePrivate(file, `${path}\n`);
  } catch (cause) {
    throw refuse(`The choice cannot be stored in ${file}: ${messageOf(cause)}. Use HEDDLE_HOME instead`, cause);
  }
  return viewHome(env);
}

/** Removes the choice: `~/.heddle` is used again. False when there was none. */
export async function resetHome(env: Env): Promise<boolean> {
  const file = fileOf(env);
  const isThere = existsSync(file);
  await rm(file, { force: true });
  return isThere;
}

/**
 * The reference's config home, for a first run that does not use it; null on every later run. `~/.heddle` records that
 * it was mentioned; where nothing can be written there, every run counts as the first.
 */
export async function referenceHomeToMention(env: Env): Promise<string | null> {
  const reference = unusedReferenceHome(env);
  const own = ownFolder(env);
  if (reference === null || own === null) return null;
  const mark = join(own, MENTIONED);
  if (existsSync(mark) || existsSync(join(own, 'projects'))) return null;
  await writePrivate(mark, '').catch(() => {});
  return reference;
}

const MENTIONED = '.reference-home-mentioned';

async function writePrivate(path: string, text: string): Promise<void> {
  makeDirectory(dirname(path), 0o700);
  await replacePrivateText(path, text);
}

function fileOf(env: Env): string {
  const own = ownFolder(env);
  if (own === null) throw refuse('The choice is stored in ~/.heddle, and HOME is not set. Use HEDDLE_HOME instead');
  return choiceFile(own);
}

function refuse(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', message, { cause });
}
