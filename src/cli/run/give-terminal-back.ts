import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A small shell that continues this process as soon as another one has the terminal, or after a second. It leads its own
 * session, so that stopping this group does not stop it.
 */
const SCRIPT = `
n=0
while [ $n -lt 40 ]; do
  n=$((n + 1))
  sleep 0.025
  set -- $(ps -o pgid= -o tpgid= -p "$HEDDLE_PROCESS")
  [ -n "$2" ] && [ "$1" != "$2" ] && break
done
set -- $(ps -o pgid= -o tpgid= -p "$HEDDLE_PROCESS")
[ -n "$1" ] && kill -s CONT -- "-$1"
kill -s CONT "$HEDDLE_PROCESS"
set -- $(ps -o pgid= -o tpgid= -p "$HEDDLE_PROCESS")
[ -n "$2" ] && [ "$1" != "$2" ]
`;

const PATH = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin';

/**
 * Gives the terminal back to the shell that started this process, which continues in the background. The shell sees its
 * job stop, as with Ctrl+Z, and takes the terminal; then the process continues. Resolves with whether a shell has taken
 * it: where none waits, as in a window that runs only this program, the process keeps the terminal.
 */
export async function giveTerminalBack(): Promise<boolean> {
  const env = { PATH, HEDDLE_PROCESS: String(process.pid) };
  const helper = spawn('/bin/sh', ['-c', SCRIPT], { cwd: '/', env, detached: true, stdio: 'ignore' });
  if (helper.pid === undefined) return false;
  const ended = once(helper, 'exit').then(
    ([code]) => code === 0,
    () => false,
  );
  // With the stop of the whole group, as the terminal does it: pipelines and wrappers stop, too.
  process.kill(0, 'SIGTSTP');
  return ended;
}
