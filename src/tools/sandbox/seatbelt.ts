import { dirname } from 'node:path';
import { isInsideAny } from '../../util/files/path-inside.ts';
import type { Confinement } from './confinement.ts';
import { type Provider, proxyEnv } from './provider.ts';

/** The sandbox of macOS. It is not tested; docs/sandbox.md says so. */
export function createSeatbelt({ allowLocalBinding }: { allowLocalBinding: boolean }): Provider {
  return {
    name: 'seatbelt',
    filtersCommand: true,
    programs: [], // part of the system, not writable
    proxyAddress: () => ({ host: '127.0.0.1', port: 0 }),
    confine(spec, { confinement, tmp, outlet }) {
      const port = outlet?.at.port;
      const profile = seatbeltProfile({ confinement, tmp, proxyPort: port, allowLocalBinding });
      const env = proxyEnv(spec.env, outlet && port !== undefined ? { port, noProxy: outlet.noProxy } : null);
      return {
        spec: {
          ...spec,
          command: '/usr/bin/sandbox-exec',
          args: ['-p', profile, spec.command, ...spec.args],
          env: { ...env, TMPDIR: tmp },
        },
        release() {},
      };
    },
    settled: async () => {},
  };
}

export interface ProfileOptions {
  confinement: Confinement;
  tmp: string;
  /** The port of the proxy on 127.0.0.1; absent: no network. */
  proxyPort?: number;
  /** True when commands may listen on local ports, which others on the machine can reach. */
  allowLocalBinding: boolean;
}

/** Rules of the profile language: the last one that matches counts. */
export function seatbeltProfile({ confinement, tmp, proxyPort, allowLocalBinding }: ProfileOptions): string {
  const { writable, protectedPaths, hidden, unixSockets } = confinement;
  const closed = protectedPaths.map(({ path }) => path).filter((path) => isInsideAny(writable, path));
  const onTheWay = [...closed, ...hidden].flatMap((path) => parents(path, writable));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...rule('allow file-write*', [...writable, tmp].map(subpath)),
    ...rule('deny file-write*', closed.map(subpath)),
    // A command could move a parent directory of a protected path away and make another in its place.
    ...rule('deny file-write-unlink', onTheWay.map(literal)),
    ...rule('deny file-read* file-write*', hidden.map(subpath)),
    '(deny network*)',
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    ...(allowLocalBinding ? LOCAL_BINDING : []),
    ...rule('allow network*', (unixSockets === 'all' ? ['/'] : unixSockets).map(subpath)),
  ].join('\n');
}

const LOCAL_BINDING = [
  '(allow network-bind (local ip "localhost:*"))',
  '(allow network-inbound (local ip "localhost:*"))',
  '(allow network-outbound (remote ip "localhost:*"))',
];

export function rule(action: string, filters: readonly string[]): string[] {
  return filters.length === 0 ? [] : [`(${action} ${[...new Set(filters)].join(' ')})`];
}

export function subpath(path: string): string {
  return `(subpath ${quoted(path)})`;
}

export function literal(path: string): string {
  return `(literal ${quoted(path)})`;
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`;
}

function parents(path: string, writable: readonly string[]): string[] {
  const parent = dirname(path);
  return parent !== path && isInsideAny(writable, parent) ? [parent, ...parents(parent, writable)] : [];
}
