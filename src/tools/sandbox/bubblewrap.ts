import { existsSync, writeFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import type { ProcessSpec } from '../../util/process/process.ts';
import { ToolError } from '../tool.ts';
import { BRIDGE_PORT, FILTER_FD } from './bridge.ts';
import { bubblewrapArgs } from './bubblewrap-args.ts';
import type { Confinement } from './confinement.ts';
import { layOut } from './mounts.ts';
import { createPlaceholders } from './placeholders.ts';
import { type Outlet, type Provider, proxyEnv } from './provider.ts';
import { runsAsRoot } from './reachable.ts';
import { socketFilter } from './socket-filter.ts';
import { type SocketAccess, socketAccess } from './unix-sockets.ts';

export interface BubblewrapPrograms {
  bwrap: string;
  /** Needed for the network only; null when it is not installed. */
  socat: string | null;
}

export interface BubblewrapProviderOptions extends BubblewrapPrograms {
  isWeaker: boolean;
  realPath(path: string): string | null;
}

/** With the filter nothing needs to be shown or covered. */
const NO_ACCESS: SocketAccess = { shown: [], covered: [] };

function allowsNone({ unixSockets }: Confinement): boolean {
  return unixSockets !== 'all' && unixSockets.length === 0;
}

/** Null for a processor whose calls are not known. */
function writeFilter(state: string): string | null {
  const path = join(state, 'socket-filter');
  if (existsSync(path)) return path;
  const filter = socketFilter(arch());
  if (filter === null) return null;
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}

/** bwrap takes the filter from a descriptor, which a shell opens. */
function withFilter(file: string, command: readonly string[]): Pick<ProcessSpec, 'command' | 'args'> {
  return { command: '/bin/sh', args: ['-c', `exec ${FILTER_FD}<"$1"; shift; exec "$@"`, 'sh', file, ...command] };
}

/** The sandbox of Linux: namespaces, made by bubblewrap. */
export function createBubblewrap({ bwrap, socat, isWeaker, realPath }: BubblewrapProviderOptions): Provider {
  const placeholders = createPlaceholders();

  function wayTo(outlet: Outlet): { socket: string; socat: string } {
    if (socat === null) {
      throw new ToolError('Nothing was run: the sandbox needs socat to reach the network. The user has to install it.');
    }
    return { socket: outlet.at.path ?? '', socat };
  }

  return {
    name: 'bubblewrap',
    programs: socat === null ? [bwrap] : [bwrap, socat],
    // The first stage needs a /proc of its own processes, which for root cannot be mounted twice, and need not.
    filtersCommand: !isWeaker || runsAsRoot(),
    proxyAddress: (stateDir) => ({ path: join(stateDir, 'proxy.sock') }),
    confine(spec, { confinement, tmp, state, filter, outlet }) {
      const proxy = outlet && wayTo(outlet);
      const filterFile = filter !== 'none' && allowsNone(confinement) ? writeFilter(state) : null;
      const sockets = filterFile === null ? socketAccess(confinement, realPath) : NO_ACCESS;
      const { mounts, placeholders: wanted } = layOut(confinement);
      placeholders.hold(wanted);
      const env = proxyEnv(spec.env, outlet && { port: BRIDGE_PORT, noProxy: outlet.noProxy });
      const filterNow = filterFile === null || filter === 'none' ? null : filter;
      const args = bubblewrapArgs(spec, { mounts, sockets, tmp, proxy, isWeaker, bwrap, filter: filterNow });
      return {
        spec: {
          ...spec,
          ...(filterFile === null ? { command: bwrap, args } : withFilter(filterFile, [bwrap, ...args])),
          env: { ...env, TMPDIR: '/tmp' },
        },
        release: () => placeholders.release(wanted),
      };
    },
    settled: () => placeholders.settled(),
  };
}
