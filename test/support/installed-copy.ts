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

export function installCopy(
  place: Place,
  { at = join(place.root, 'package'), dependencies = 'linked', library = false }: CopyOptions = {},
): InstalledCopy {
  const dist = join(at, 'dist');
  mkdirSync(dist, { recursive: true });
  const left = library ? /\/dist\/(types|types-of-tsc|code-cache)(\/|$)|\.map$/ : NOT_CLI;
  const isCode = (source: string) => !left.test(source);
  cpSync(join(ROOT, 'dist'), dist, { recursive: true, filter: isCode });
  cpSync(join(ROOT, 'package.json'), join(at, 'package.json'));
  if (dependencies === 'linked') symlinkSync(join(ROOT, 'node_modules'), join(at, 'node_modules'));
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

const NOT_CLI = /\/dist\/(types|types-of-tsc|code-cache|chunks|stores)(\/|$)|\.map$|\/meta\.json$/;

interface CopyOptions {
  /** Also what programs import. */
  library?: boolean;
  at?: string;
  /** `linked`: those of the repository. */
  dependencies?: 'linked' | 'none';
}
