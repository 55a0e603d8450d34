import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { parseHostName } from '../../util/host-name.ts';
import { isPrivateAddress } from '../web/web-address.ts';

/** The access to a host. `public`: only while its addresses belong to the public internet. */
export type HostAccess = 'none' | 'public' | 'any';

/** By the host's name, as `parseHostName` gives it. */
export type HostRules = (host: string) => HostAccess;

/** A refused connection. The text is for the client. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly host: string;
  constructor(host: string, why: string) {
    super(`${host}: ${why}`);
    this.host = host;
  }
}

export interface DialOptions {
  rules: HostRules;
  /** For tests. */
  resolve?: (host: string) => Promise<readonly Address[]>;
}

export interface Address {
  address: string;
  family: number;
}

const CONNECT_MS = 30_000;

/**
 * Connects to a host that the rules allow. Its name is resolved once, and Heddle judges and connects to exactly that
 * address, because a second answer could be another one. Rejects with a Refused, or with the error of the network.
 */
export async function dial(hostText: string, port: number, options: DialOptions): Promise<Socket> {
  const { host, addresses } = await findHost(hostText, options);
  if (!(Number.isInteger(port) && port > 0 && port < 65_536)) throw new Refused(host, 'there is no such port');
  const socket = connect({
    host,
    port,
    allowHalfOpen: true,
    lookup: (_name, wanted, callback) => {
      const [first] = addresses;
      if (wanted.all) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family);
    },
  });
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`${host} did not answer`)));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.setTimeout(0);
  socket.on('error', () => socket.destroy());
  return socket;
}

/** A name that two programs could read differently is invalid. */
const UNCLEAR = /[^\x21-\x7e]|[\\/@?#]/;

export async function findHost(
  text: string,
  { rules, resolve = lookUp }: DialOptions,
): Promise<{ host: string; addresses: readonly Address[] }> {
  const host = UNCLEAR.test(text) ? null : parseHostName(text.replace(/^\[(.*)\]$/, '$1'));
  if (host === null) throw new Refused(JSON.stringify(text.slice(0, 100)), 'this is no host name');
  const access = rules(host);
  if (access === 'none') throw new Refused(host, 'the sandbox does not allow this host');
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new Error(`${host} has no address`);
  if (access === 'public' && addresses.some(({ address }) => isPrivateAddress(address))) {
    throw new Refused(host, 'it is not on the public internet, and only a pattern allows it');
  }
  return { host, addresses };
}

function lookUp(host: string): Promise<readonly Address[]> {
  return lookup(host, { all: true });
}
