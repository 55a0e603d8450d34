import { join } from 'node:path';
import { ToolError } from '../tool.ts';
import { BRIDGE_PORT } from './bridge.ts';
import { bubblewrapArgs } from './bubblewrap-args.ts';
import { layOut } from './mounts.ts';
import { createPlaceholders } from './placeholders.ts';
import { type Outlet, type Provider, proxyEnv } from './provider.ts';
import { socketAccess } from './unix-sockets.ts';

export interface BubblewrapPrograms {
  bwrap: string;
  /** Needed for the network only; null when it is not installed. */
  socat: string | null;
}

export interface BubblewrapProviderOptions extends BubblewrapPrograms {
  isWeaker: boolean;
  realPath(path: string): string | null;
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
    proxyAddress: (stateDir) => ({ path: join(stateDir, 'proxy.sock') }),
    confine(spec, { confinement, tmp, outlet }) {
      const proxy = outlet && wayTo(outlet);
      const sockets = socketAccess(confinement, realPath);
      const { mounts, placeholders: wanted } = layOut(confinement);
      placeholders.hold(wanted);
      const env = proxyEnv(spec.env, outlet && { port: BRIDGE_PORT, noProxy: outlet.noProxy });
      return {
        spec: {
          ...spec,
          command: bwrap,
          args: bubblewrapArgs(spec, { mounts, sockets, tmp, proxy, isWeaker }),
          env: { ...env, TMPDIR: '/tmp' },
        },
        release: () => placeholders.release(wanted),
      };
    },
    settled: () => placeholders.settled(),
  };
}
