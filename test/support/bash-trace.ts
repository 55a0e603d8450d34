import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What bash itself makes of each script: the words of every command that it tried to start and that is no builtin.
 * Nothing is found on the path, so nothing really runs; a handler notes what was looked for.
 */
export function traceInBash(scripts: readonly string[]): string[][][] {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-trace-'));
  try {
    writeFileSync(join(folder, 'all.sh'), program(scripts));
    spawnSync('bash', ['--norc', '--noprofile', 'all.sh'], {
      cwd: folder,
      env: { LC_ALL: 'C.UTF-8', HOME: '/home/u' },
      stdio: 'ignore',
      timeout: 20_000,
    });
    // What runs in the background may be late.
    spawnSync('sleep', ['0.3']);
    const logs = readdirSync(folder).filter((name) => name.startsWith('log.'));
    return scripts.map((_, at) =>
      logs.filter((name) => name.startsWith(`log.${at}.`)).flatMap((name) => wordsIn(join(folder, name))),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const END = '\u0001end';

/** A file for each script and process: what runs side by side must not write into each other's lines. */
function program(scripts: readonly string[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const runs = scripts.map((script, at) => `N=${at}\n( eval ${quoted(script)} ) > /dev/null 2>&1 < /dev/null\n`);
  return `command_not_found_handle() {
  printf '%s\\0' "$@" $'\\1end' >> "log.$N.$BASHPID"
  return $((RANDOM % 2))
}
PATH=/nonexistent
x='v w'
set -- p1 p2
${runs.join('')}`;
}

function wordsIn(file: string): string[][] {
  const commands: string[][] = [[]];
  for (const word of readFileSync(file, 'utf8').split('\0').slice(0, -1)) {
    if (word === END) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.slice(0, -1);
}
