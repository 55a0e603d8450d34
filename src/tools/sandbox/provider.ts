import type { ListenOptions } from 'node:net';
import type { ProcessSpec } from '../../util/process.ts';
import type { Confinement } from './confinement.ts';

/** An operating system's way to confine a process. */
export interface Provider {
  readonly name: 'bubblewrap' | 'seatbelt';
  /** What it consists of, as real paths: it runs outside, so that no command may change it. */
  readonly programs: readonly string[];
  /** Where the proxy has to listen so that commands inside can be led to it. */
  proxyPlace(stateDir: string): ListenOptions;
  /** What to run instead of the process. Throws a ToolError, or what the file system throws, when that cannot be said. */
  confine(spec: ProcessSpec, cell: Cell): Confined;
  /** Resolves when nothing of what was confined is left behind. */
  settled(): Promise<void>;
}

/** What is around one process. */
export interface Cell {
  confinement: Confinement;
  /** A directory for temporary files, the same for all commands of a session. */
  tmp: string;
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
  /** To be called when the process has ended. */
  release(): void;
}

type Env = ProcessSpec['env'];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'];

/** The environment without the proxies of the outside, which cannot be reached, and with ours at that port, if any. */
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
