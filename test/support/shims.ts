import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A place in which command lines run for real, with programs that leave a trace when they are started. */
export interface ShimPlace {
  /** Where the programs lie. */
  bin: string;
  cwd: string;
  /** Runs a command line as the Bash tool would; tells whether a traced program was started. */
  fires(command: string): boolean;
}

/**
 * `traced` programs leave the trace: the one named alone always, `tool push` when `tool` is started with that word.
 * Wrappers that a machine may lack are stood in for by scripts that start their command. All goes after the tests.
 */
export function makeShims(traced: readonly string[]): ShimPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-shims-')));
  afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const [bin, cwd, canary] = ['bin', 'work', 'canary'].map((name) => join(root, name)) as [string, string, string];
  mkdirSync(bin);
  mkdirSync(cwd);
  for (const each of traced) writeProgram(bin, each.split(' ')[0] ?? '', tracing(each, canary));
  for (const name of STAND_INS) writeProgram(bin, name, STAND_IN);
  const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: root, LC_ALL: 'C.UTF-8' };
  return {
    bin,
    cwd,
    fires(command) {
      rmSync(canary, { force: true });
      spawnSync('bash', ['-c', command], { cwd, env, stdio: 'ignore', timeout: 10_000 });
      if (existsSync(canary)) return true;
      // What a command line leaves behind in the background may take a moment.
      if (/[&>]|coproc|setsid/.test(command)) spawnSync('sleep', ['0.05']);
      return existsSync(canary);
    },
  };
}

const STAND_INS = ['sudo', 'doas', 'busybox'];
const STAND_IN = `while true; do
  case $1 in
    -u|-g) shift 2 ;;
    -*|*=*) shift ;;
    *) break ;;
  esac
done
exec "$@"`;

function tracing(call: string, canary: string): string {
  const [, word] = call.split(' ');
  const condition = word === undefined ? 'true' : `case " $* " in *" ${word} "*) true ;; *) false ;; esac`;
  return `if ${condition}; then : > '${canary}'; fi`;
}

function writeProgram(folder: string, name: string, body: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}
