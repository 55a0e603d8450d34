import { accessSync, constants, existsSync, readdirSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Env } from '../../host/engine/environment.ts';
import { messageOf } from '../../util/message-of.ts';
import { findConfigHome, type HomeSource, unusedReferenceHome } from '../../util/own/config-home.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import type { Check, DoctorContext } from './check.ts';

/** Checks the config home: whether it can be used, who else can read it, and its free space. Writes nothing. */
export async function gatherHome({ home, env }: DoctorContext): Promise<Check[]> {
  const found = findConfigHome(env);
  if (found && 'problem' in found) {
    return [{ id: 'home', status: 'problem', summary: found.problem, facts: {} }];
  }
  if (home === null) {
    const summary = 'there is no config home: neither HEDDLE_HOME nor HOME is set';
    return [{ id: 'home', status: 'problem', summary, next: 'set HEDDLE_HOME', facts: {} }];
  }
  return [homeCheck(home, env, found?.source ?? 'default'), diskCheck(nearestExisting(home))];
}

const OTHERS = 0o077;

/** `source` is shown where the home is not the usual one: a run elsewhere may have another. */
function homeCheck(home: string, env: Env, source: HomeSource): Check {
  const stats = statSync(home, { throwIfNoEntry: false });
  if (!stats) return missingHome(home, env, source);
  const facts = { path: home, source, exists: true, mode: modeOf(stats) };
  const problem = stats.isDirectory() ? accessProblem(home) : 'it is no directory';
  if (problem !== null) {
    const next = 'correct its rights or its owner, or set HEDDLE_HOME to another directory';
    return { id: 'home', status: 'problem', summary: `${home} cannot be used: ${problem}`, next, facts };
  }
  const open = openEntries(home);
  if ((stats.mode & OTHERS) !== 0) {
    const summary = `${home} can be entered by others (mode ${modeOf(stats)}, 0700 wanted)`;
    return { id: 'home', status: 'warning', summary, next: `chmod go= ${shellWord(home)}`, facts: { ...facts, open } };
  }
  return { id: 'home', status: 'ok', summary: `${home}${WHY[source]}, writable, private`, facts: { ...facts, open } };
}

const WHY: Readonly<Record<HomeSource, string>> = {
  HEDDLE_HOME: ' (HEDDLE_HOME)',
  CLAUDE_CONFIG_DIR: ' (CLAUDE_CONFIG_DIR)',
  stored: ' (chosen with heddle config home)',
  default: '',
};

/**
 * The first run creates the home, if it can. A user who comes from the reference may want to use the sessions there.
 */
function missingHome(home: string, env: Env, source: HomeSource): Check {
  const above = nearestExisting(home);
  const problem = accessProblem(above);
  const facts = { path: home, source, exists: false };
  if (problem !== null) {
    const next = 'set HEDDLE_HOME to a directory that you can write to';
    return { id: 'home', status: 'problem', summary: `${home} cannot be made: ${problem}`, next, facts };
  }
  const reference = unusedReferenceHome(env);
  const summary = `${home}${WHY[source]} is not there yet; the first run makes it`;
  if (reference === null) return { id: 'home', status: 'ok', summary, facts };
  return {
    id: 'home',
    status: 'ok',
    summary,
    next: `${reference} exists and is not used; to use it: heddle config home ${shellWord(reference)}`,
    facts: { ...facts, reference },
  };
}

function accessProblem(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Entries that others could read if the directory above were open to them. */
function openEntries(home: string): string[] {
  return readdirSync(home).filter((name) => {
    const stats = statSync(join(home, name), { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & OTHERS) !== 0;
  });
}

const MB = 1_000_000;
const SCARCE_MB = 200;
const TOO_LITTLE_MB = 10;

function diskCheck(path: string): Check {
  const { bavail, bsize } = statfsSync(path);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const summary = `${freeMb} MB are free for sessions`;
  const facts = { freeMb };
  if (freeMb >= SCARCE_MB) return { id: 'disk', status: 'ok', summary, facts };
  const status = freeMb < TOO_LITTLE_MB ? 'problem' : 'warning';
  return { id: 'disk', status, summary, next: 'make room, or set HEDDLE_HOME to another disk', facts };
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o777).toString(8)}`;
}
