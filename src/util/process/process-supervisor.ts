import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Logger } from '../runtime.ts';
import { limitFileLocks, type ProcessMark } from './process-mark.ts';

/**
 * The death pipe: a small shell that outlives this process by a moment. Only this process holds the other end of its
 * stdin, so the shell reads end-of-file when this process is gone, even by SIGKILL. It then kills every group that it
 * was given and every process that carries our mark. There is one per run, blocked in read(2).
 */
export interface Supervisor {
  /** Starts the shell unless it runs. Call it before a child starts, so that no child is ever unsupervised. */
  start(): void;
  watch(group: number): void;
  forget(group: number): void;
  /** This process still does its work and holds its sessions. Needed only with a deadline. */
  tick(): void;
  /** All processes have ended in good order: the shell exits without a search. */
  dismiss(): void;
}

interface SupervisorOptions {
  /** The mark of all our processes. */
  mark: ProcessMark;
  log: Logger;
  /** Null: this process need not say that it works. */
  deadline?: ToolDeadline | null;
  /** For tests. */
  shell?: string;
}

/**
 * How long commands go on when nothing is heard of the process that started them: it may be frozen, or cut off from the
 * store that says whose its sessions are. They are stopped first, and go on with the next tick.
 */
export interface ToolDeadline {
  /** Milliseconds without a tick after which every process is stopped. */
  stopAfterMs: number;
  /** Milliseconds without a tick after which every process is killed. */
  killAfterMs: number;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { mark, log, deadline = null } = options;
  // A POSIX shell cannot wait for a line with a time limit.
  const { shell = deadline ? '/bin/bash' : '/bin/sh' } = options;
  const watched = new Set<number>();
  let running: ChildProcess | null = null;
  let broken = false;

  const tell = (line: string) => {
    if (running?.stdin?.writable) running.stdin.write(`${line}\n`);
  };

  return {
    start() {
      if (running !== null || broken) return;
      const child = startShell(shell, mark, deadline);
      running = child;
      child.once('error', (error) => {
        broken = true;
        log('warn', 'No process supervisor: commands may outlive a killed run', { error: error.message });
      });
      child.once('exit', () => {
        if (running === child) running = null; // another process killed it; the next command starts a new one
      });
      child.stdin?.on('error', () => {}); // it is gone; `exit` reports it
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
    tick() {
      if (deadline) tell('~');
    },
    dismiss() {
      tell('.');
      running?.stdin?.end();
    },
  };
}

const TOOL_DIRS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/**
 * `$1` and `$2` are the mark; arguments, because the shell would find itself by its environment.
 * - A process that is found is killed with the group that it leads, if any: this process may have died before it
 *   reported that group.
 * - The rounds repeat because a process may fork between being found and being killed. Zombies keep their limits and
 *   are skipped.
 * - The shell drops the limit that marks this process as a tool of another run: that run must not kill the shell before
 *   its work is done.
 */
const BEGIN = `
trap '' INT TERM HUP
${limitFileLocks('unlimited')}
groups=' '
note() {
  group=\${1#?}
  case $1 in
    +*) groups="$groups$group " ;;
    -*) groups="\${groups%% $group *} \${groups#* $group }" ;;
    .) exit ;;
  esac
}
`;

const WAIT_FOR_END = `
while read -r line; do note "$line"; done
`;

/**
 * `$3` and `$4` are the deadline in hundredths of a second. The time is that of the machine's uptime, which no change of
 * the clock moves; without /proc, bash counts the seconds. A line is read again at once, so that the ticks that waited
 * while this shell itself was frozen count before the deadline does.
 */
const WAIT_WITH_DEADLINE = `
moment() { if read -r up _ < /proc/uptime; then now=\${up/./}; else now=$((SECONDS * 100)); fi; } 2>/dev/null
signal() {
  for group in $groups; do kill -s $1 -- "-$group"; done
  for file in $(grep -lsF -e "$mark1" /proc/[0-9]*/environ; grep -lsF -e "$mark2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -s $1 -- "\${pid%/*}"
  done
}
mark1=$1 mark2=$2 state=on
moment; heard=$now
while :; do
  read -r -t 0.1 line
  got=$?
  moment
  if [ $got -eq 0 ]; then
    if [ "$line" = '~' ]; then
      heard=$now
      [ $state = stopped ] && signal CONT
      state=on
    else
      note "$line"
      case $state$line in stopped+*) kill -s STOP -- "-$group" ;; esac
    fi
    continue
  fi
  [ $got -gt 128 ] || break
  silent=$((now - heard))
  if [ $state = on ] && [ $silent -ge $3 ]; then
    signal STOP
    state=stopped
  fi
  if [ $state = stopped ] && [ $silent -ge $4 ]; then
    signal KILL
    state=killed
  fi
done
`;

const END_ALL = `
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

function startShell(shell: string, mark: ProcessMark, deadline: ToolDeadline | null): ChildProcess {
  const script = `${BEGIN}${deadline ? WAIT_WITH_DEADLINE : WAIT_FOR_END}${END_ALL}`;
  const hundredths = deadline ? [deadline.stopAfterMs, deadline.killAfterMs].map((ms) => `${Math.ceil(ms / 10)}`) : [];
  const child = spawn(shell, ['-c', script, 'heddle-supervisor', mark.environment, mark.limits, ...hundredths], {
    cwd: '/',
    env: { PATH: TOOL_DIRS.join(':') },
    // Its own session, so that no terminal and no signal to our group reaches it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  unrefPipe(child.stdin);
  return child;
}

/** Child pipes are sockets, although their type does not show it. */
function unrefPipe(pipe: (Writable & { unref?: () => void }) | null): void {
  pipe?.unref?.();
}

function hasGrep(): boolean {
  return TOOL_DIRS.some((dir) => existsSync(`${dir}/grep`));
}
