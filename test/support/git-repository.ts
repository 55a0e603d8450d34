import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { put } from './put.ts';

/** A git repository in the working directory of a place, with one commit on `main`. */
export interface GitRepository {
  /** Runs git and gives back what it printed. Throws when it fails. */
  git(...args: string[]): string;
  worktrees: string;
  /** The worktrees that are there, by name. */
  names(): string[];
  branches(): string[];
  /** The commit gains a file. */
  commit(name: string, text: string): void;
}

export function makeRepository(place: Place): GitRepository {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: place.cwd,
      encoding: 'utf8',
      env: { PATH: place.env.PATH, HOME: place.env.HOME, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const worktrees = join(place.cwd, '.claude', 'worktrees');
  const repository: GitRepository = {
    git,
    worktrees,
    names: () =>
      existsSync(worktrees)
        ? readdirSync(worktrees, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
        : [],
    branches: () => git('branch', '--format=%(refname:short)').split('\n'),
    commit(name, text) {
      put(join(place.cwd, name), text);
      git('add', '--force', name);
      git('-c', 'user.name=Test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '-m', `has ${name}`);
    },
  };
  git('init', '--quiet', '--initial-branch=main');
  repository.commit('file.txt', 'as it was\n');
  return repository;
}
