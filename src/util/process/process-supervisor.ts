import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { limitFileLocks, type ProcessMark } from './process-mark.ts';
import type { Logger } from './runtime.ts';

/**
 * The death pipe: a small shell that outlives us by a moment. Only we hold the other end of its stdin, so it reads
 * end-of-file when we are gone, even by SIGKILL, and then kills every group we had told it of and every process that
 * carries our mark (trust H-2). One per run, asleep in read(2) all the time.
 */
export interface Supervisor {
  /** Starts it unless it runs. Call before a child is started, so that there is no moment without it. */
  start(): void;
  watch(group: number): void;
  forget(group: number): void;
  /** Everything was ended in good order: it goes without looking around. */
  dismiss(): void;
}

interface SupervisorOptions {
  /** Of all our processes. */
  mark: ProcessMark;
  log: Logger;
  /** For tests. */
  shell?: string;
}

export function createSupervisor({ mark, log, shell = '/bin/sh' }: SupervisorOptions): Supervisor {
  const watched = new Set<number>();
  let running: ChildProcess | null = null;
  let broken = false;

  const tell = (line: string) => {
    if (running?.stdin?.writable) running.stdin.write(`${line}\n`);
  };

  return {
    start() {
      if (running !== null || broken) return;
      const child = startShell(shell, mark);
      running = child;
      child.once('error', (error) => {
        broken = true;
        log('warn', 'No process supervisor: commands may outlive a killed run', { error: error.message });
      });
      child.once('exit', () => {
        if (running === child) running = null; // somebody killed it; the next command starts another
      });
      child.stdin?.on('error', () => {}); // it is gone; `exit` tells
      if (child.pid !== undefined && existsSync('/proc') && !hasGrep()) {
        log('warn', 'No grep: detached processes may outlive a killed run');
      }
      for (const group of watched) tell(`+${group}`);
    },
    watch(group) {
      watched.add(group);
      tell(`+${group}`);
    },
    forget(group) {
      if (watched.delete(group)) tell(`-${group}`);
    },
    dismiss() {
      tell('.');
      running?.stdin?.end();
    },
  };
}

const TOOL_DIRS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/**
 * `$1` and `$2` are the mark; as arguments, not in the environment, or the shell would find itself. What is found is
 * killed with the group it leads, if it leads one: we may have died before we could tell of it. The rounds repeat
 * because a process may fork between being found and being killed. Zombies keep their limits and are passed over. The
 * limit that marks us, if we are ourselves a tool of another run, is shed: that run must not kill us before our work.
 */
const SCRIPT = `
trap '' INT TERM HUP
${limitFileLocks('unlimited')}
groups=' '
while read -r line; do
  group=\${line#?}
  case $line in
    +*) groups="$groups$group " ;;
    -*) groups="\${groups%% $group *} \${groups#* $group }" ;;
    .) exit ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ; grep -lsF -e "$2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/} pid=\${pid%/*}
    read -r stat < "/proc/$pid/stat" || continue
    case \${stat##*) } in [ZX]*) continue ;; esac
    kill -s KILL -- "-$pid"
    kill -s KILL -- "$pid" && found=1
  done
  [ "$found" ] || exit
  sleep 0.05 || sleep 1
done
`;

function startShell(shell: string, mark: ProcessMark): ChildProcess {
  const child = spawn(shell, ['-c', SCRIPT, 'heddle-supervisor', mark.environment, mark.limits], {
    cwd: '/',
    env: { PATH: TOOL_DIRS.join(':') },
    // A session of its own: no terminal and no signal to our group reaches it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  unrefPipe(child.stdin);
  return child;
}

/** Child pipes are sockets, although their type does not say so. */
function unrefPipe(pipe: (Writable & { unref?: () => void }) | null): void {
  pipe?.unref?.();
}

function hasGrep(): boolean {
  return TOOL_DIRS.some((dir) => existsSync(`${dir}/grep`));
}
