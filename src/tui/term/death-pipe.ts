import { spawn, spawnSync } from 'node:child_process';
import { ALL_MODES_OFF } from './modes.ts';

/** Restores the terminal when this process is gone without a farewell, even by SIGKILL. */
export interface DeathPipe {
  /** The terminal is as it was; nothing is left to do. */
  dismiss(): void;
  /** This process may not write to the terminal any more. A person who still looks at it finds it as it was. */
  restore(): void;
}

const PATH = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin';

/**
 * A small shell that outlives this process by a moment; fd 3 is the input of the terminal, fd 4 its output. It reads a
 * pipe of which only this process holds the other end: end of file without a farewell means that this process was
 * killed.
 */
const SCRIPT = `
trap '' INT TERM HUP QUIT TSTP TTOU
while read -r line; do
  case $line in
    .) exit ;;
    restore) stty "$1" <&3; printf '%s' "$2" >&4; exit ;;
  esac
done
stty "$1" <&3
printf '%s\\r\\n%s\\n' "$2" "$3" >&4
`;

const FAREWELL = 'heddle was killed. The session is saved: heddle -c goes on.';

/** Child pipes are sockets, although their type does not show it. */
interface Unreferable {
  unref(): void;
}

/**
 * Call it before the modes of the terminal change: it saves them first, and waits for that. `input` and `output` are the
 * file descriptors of the terminal, `more` what the person is to find as it was besides the modes. Null where there is no `stty`: then nobody watches.
 */
export function openDeathPipe(
  { input, output }: { input: number; output: number },
  { more }: { more: string },
): DeathPipe | null {
  const env = { PATH };
  const { status, stdout } = spawnSync('stty', ['-g'], { env, stdio: [input, 'pipe', 'ignore'], encoding: 'utf8' });
  if (status !== 0) return null;
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'heddle-terminal', stdout.trim(), ALL_MODES_OFF + more, FAREWELL], {
    ...{ cwd: '/', env },
    // Its own session, so that no key and no signal to our group reaches it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', input, output],
  });
  const { stdin } = child;
  child.on('error', () => {}); // no shell: nobody watches
  stdin?.on('error', () => {}); // it is gone
  child.unref();
  (stdin as Partial<Unreferable> | null)?.unref?.();
  const say = (word: string) => {
    if (stdin?.writable) stdin.end(`${word}\n`);
  };
  return { dismiss: () => say('.'), restore: () => say('restore') };
}
