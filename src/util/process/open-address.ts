import { spawn } from 'node:child_process';

/** The program that opens an address, by system. Never a shell: the address comes from a server. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser, if there is one. The caller has shown it, so a failure does not matter. */
export function openAddress(address: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // there is no such program
  child.unref();
}
