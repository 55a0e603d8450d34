import { basename, dirname, join } from 'node:path';

export interface LaterPathsOptions {
  /** The files that tell a build server what to run count, too. */
  asksForCi: boolean;
  exists(path: string): boolean;
}

/**
 * Makes the test for files that act later, without another question: an editor, git, a package manager or Heddle runs
 * what they name. Modes that accept edits do not accept these.
 */
export function laterPaths({ asksForCi, exists }: LaterPathsOptions): (path: string) => boolean {
  return (path) => {
    const names = path
      .normalize('NFKC')
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toLowerCase()
      .split('/')
      .filter(Boolean);
    if (names.some((name, at) => actsByName(name, names.slice(at + 1)))) return true;
    return (asksForCi && isOfCi(names)) || isInBareRepository(path, exists);
  };
}

const FOLDERS = new Set(['.vscode', '.idea', '.husky']);
const FILES = new Set(['.gitmodules', '.ripgreprc', '.envrc', '.npmrc']);
const OF_CLAUDE = new Set(['commands', 'agents', 'skills', 'hooks']);

function actsByName(name: string, below: readonly string[]): boolean {
  if (FOLDERS.has(name)) return true;
  if (name === '.claude') return below[0] !== undefined && OF_CLAUDE.has(below[0]);
  return FILES.has(name) && below.length === 0;
}

const CI_FILES = new Set([
  ...['.gitlab-ci.yml', '.travis.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'jenkinsfile'],
  ...['appveyor.yml', '.drone.yml', 'cloudbuild.yaml'],
]);
const CI_FOLDERS = new Set(['.circleci', '.buildkite', '.woodpecker']);

function isOfCi(names: readonly string[]): boolean {
  if (CI_FILES.has(names.at(-1) ?? '')) return true;
  return names.some((name, at) => {
    const next = names[at + 1] ?? '';
    if (name === '.github' || name === '.gitea' || name === '.forgejo')
      return next === 'workflows' || next === 'actions';
    return CI_FOLDERS.has(name);
  });
}

/** Git takes a directory with these for a repository, and runs what its configuration and its hooks name. */
const REPOSITORY = new Set(['config', 'objects', 'refs', 'hooks']);

/** The file that no repository is without; or another part of one, in the same directory. */
function isInBareRepository(path: string, exists: (path: string) => boolean): boolean {
  if (basename(path).toLowerCase() === 'head') return true;
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    if (REPOSITORY.has(basename(at).toLowerCase()) && exists(join(dirname(at), 'HEAD'))) return true;
  }
  return false;
}
