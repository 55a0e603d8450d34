import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RunningCli } from './cli.ts';
import type { Place } from './place.ts';
import { ROOT } from './root.ts';

/** A copy of the built package that a test may damage. */
export interface InstalledCopy {
  /** The folder of the package. */
  folder: string;
  dist: string;
  /** Starts the copy's command line with open pipes. `limit`: how many files it may have open. */
  start(args: string[], options?: { limit?: number }): RunningCli;
}

/** `dependencies: 'copied'`: they may be damaged, too. */
export function installCopy(
  place: Place,
  { at = join(place.root, 'package'), dependencies = 'linked' }: CopyOptions = {},
): InstalledCopy {
  const dist = join(at, 'dist');
  mkdirSync(dist, { recursive: true });
  const isCode = (source: string) => !/\/dist\/(types|types-of-tsc|cli\/kept)(\/|$)|\.map$/.test(source);
  cpSync(join(ROOT, 'dist'), dist, { recursive: true, filter: isCode });
  cpSync(join(ROOT, 'package.json'), join(at, 'package.json'));
  if (dependencies === 'linked') symlinkSync(join(ROOT, 'node_modules'), join(at, 'node_modules'));
  else for (const name of DEPENDENCIES) cpSync(join(ROOT, name), join(at, name), { recursive: true });
  return {
    folder: at,
    dist,
    start(args, { limit } = {}) {
      const words = [process.execPath, join(dist, 'heddle.cjs'), ...args];
      const command = limit === undefined ? words : ['/bin/sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...words];
      const child: ChildProcess = spawn(command[0] as string, command.slice(1), {
        cwd: place.cwd,
        env: place.env,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const cli = new RunningCli(child);
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await cli.finished;
      });
      return cli;
    },
  };
}

interface CopyOptions {
  at?: string;
  dependencies?: 'linked' | 'copied';
}

const DEPENDENCIES = ['@vscode/ripgrep', `@vscode/ripgrep-${process.platform}-${process.arch}`, 'diff', 'zod'].map(
  (name) => join('node_modules', name),
);
