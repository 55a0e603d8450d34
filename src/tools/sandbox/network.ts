import type { ListenOptions } from 'node:net';
import { madeOnce } from '../../util/made-once.ts';
import type { Outlet } from './provider.ts';
import { createProxy, type SandboxProxy } from './proxy.ts';
import type { HostRules } from './proxy-dial.ts';
import type { SandboxRules } from './sandbox-settings.ts';

/** The network access of confined commands: a proxy that lets them reach only allowed hosts. */
export interface Network {
  /** The way out for a command that starts now; null when no host is allowed. */
  open(): Promise<Outlet | null>;
  /** True when some host is allowed. */
  isUsed(): boolean;
  /** A clause that describes the access. */
  describe(): string;
  /** The hosts that were refused since the last call. */
  takeRefused(): string[];
  close(): Promise<void>;
}

export interface NetworkOptions {
  rules: SandboxRules['network'];
  hosts: AllowedHosts;
  listenOn: ListenOptions;
}

/** Read for every connection, because rules change. */
export interface AllowedHosts {
  readonly access: HostRules;
  /** The allowed hosts in words; empty when no host is allowed. */
  list(): readonly string[];
}

/** Names of this machine. Inside they mean the sandbox itself, unless the host of that name was allowed. */
const OWN_NAMES = ['localhost', '127.0.0.1', '::1'];

export function createNetwork({ rules, hosts, listenOn }: NetworkOptions): Network {
  const { httpProxyPort, socksProxyPort } = rules;
  const refused = new Set<string>();
  const hasOwnProxy = httpProxyPort !== undefined || socksProxyPort !== undefined;

  const start = madeOnce(async (): Promise<{ proxy: SandboxProxy; at: ListenOptions }> => {
    const proxy = createProxy({
      rules: hosts.access,
      onRefused: ({ host }) => refused.add(host),
      ...(httpProxyPort !== undefined && { httpPort: httpProxyPort }),
      ...(socksProxyPort !== undefined && { socksPort: socksProxyPort }),
    });
    const { port } = await proxy.listen(listenOn);
    return { proxy, at: port === null ? listenOn : { ...listenOn, port } };
  });

  const isUsed = () => hasOwnProxy || hosts.list().length > 0;

  return {
    isUsed,
    async open() {
      if (!isUsed()) return null;
      const { at } = await start();
      return { at, noProxy: OWN_NAMES.filter((name) => hosts.access(name) === 'none') };
    },
    describe() {
      if (hasOwnProxy) return 'the network is reached through a proxy of the user';
      const names = hosts.list();
      return names.length === 0 ? 'there is no network' : `of the network it reaches only ${names.join(', ')}`;
    },
    takeRefused() {
      const names = [...refused];
      refused.clear();
      return names;
    },
    async close() {
      const running = await start.begun()?.catch(() => null);
      await running?.proxy.close();
    },
  };
}
