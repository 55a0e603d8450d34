import type { ListenOptions } from 'node:net';
import type { ProcessSpec } from '../../util/process/process.ts';
import type { Confinement } from './confinement.ts';

/** An operating system's way to confine a process. */
export interface Provider {
  readonly name: 'bubblewrap' | 'seatbelt';
  /** The real paths of its programs: they run outside the sandbox, so no command may change them. */
  readonly programs: readonly string[];
  /** False where the filter cannot begin with the command (`Cell.filter`). */
  readonly filtersCommand: boolean;
  /** The address on which the proxy has to listen so that commands inside can reach it. */
  proxyAddress(stateDir: string): ListenOptions;
  /** The process to run instead. Throws a ToolError, or the error of the file system, when it cannot be determined. */
  confine(spec: ProcessSpec, cell: Cell): Confined;
  /** Resolves when everything that confined processes left is removed. */
  settled(): Promise<void>;
}

/** The confinement of one process. */
export interface Cell {
  confinement: Confinement;
  /** A directory for temporary files, the same for all commands of a session. */
  tmp: string;
  /** A directory of Heddle for this sandbox, which commands cannot reach. */
  state: string;
  /**
   * Where the filter begins that lets no process make a unix socket, if no socket is allowed: for all processes, or
   * only for the command, because a bridge to the proxy needs such sockets. `none` where that is not possible.
   */
  filter: 'all' | 'command' | 'none';
  /** The way to the network, or null. */
  outlet: Outlet | null;
}

export interface Outlet {
  /** The proxy's unix socket or its port on this machine. */
  at: ListenOptions;
  /** Hosts that are not asked for through the proxy. */
  noProxy: readonly string[];
}

export interface Confined {
  spec: ProcessSpec;
  /** Call it when the process has ended. */
  release(): void;
}

type Env = ProcessSpec['env'];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'];

/** The environment without outside proxies, which cannot be reached, and with Heddle's proxy at that port, if any. */
export function proxyEnv(env: Env, proxy: { port: number; noProxy: readonly string[] } | null): Env {
  const names = [...PROXY_VARIABLES, ...PROXY_VARIABLES.map((name) => name.toLowerCase())];
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
  if (proxy === null) return rest;
  const http = `http://127.0.0.1:${proxy.port}`;
  const ours = {
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    ALL_PROXY: `socks5h://127.0.0.1:${proxy.port}`,
    NO_PROXY: proxy.noProxy.join(','),
  };
  const lower = Object.fromEntries(Object.entries(ours).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...rest, ...ours, ...lower };
}
