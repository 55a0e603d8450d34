import { REPORT_FD } from '../../util/process/process-output.ts';

/** The port of the proxy for programs in bubblewrap. They have their own network, so the port is always free. */
export const BRIDGE_PORT = 3128;

/** The descriptor of the filter of system calls, which socat does not get. One digit: some shells know no other. */
export const FILTER_FD = 9;

/** The kernel's entry for a socket that listens on the port. */
const LISTENING = `0100007F:${BRIDGE_PORT.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;

/**
 * Starts socat next to the command, waits until it listens, and then executes the command. socat does not inherit the
 * descriptors of the command, because Heddle waits for them to close. It dies with the sandbox.
 */
const SCRIPT = `
( "$1" "TCP4-LISTEN:${BRIDGE_PORT},bind=127.0.0.1,fork,reuseaddr,backlog=128" "UNIX-CONNECT:$2" \
  </dev/null >/dev/null 2>&1 ${REPORT_FD}>&- ${FILTER_FD}<&- & )
for look in {1..200}; do
  [[ $(</proc/net/tcp) == *'${LISTENING}'* ]] && break
  sleep 0.005
done
shift 2
exec "$@"
`;

/** The arguments of bash that run a command with a way from a port inside to a socket outside. */
export function bridgeArgs(socat: string, socket: string, command: readonly string[]): string[] {
  return ['-c', SCRIPT, 'bash', socat, socket, ...command];
}
