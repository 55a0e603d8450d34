import { closeSync, openSync, readlinkSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import { thisProcess } from '../../util/process/process-alive.ts';

/** A user namespace in which every user is itself. It lives until it is closed. */
export interface RootNamespace {
  /** Its path, for other processes of root. */
  path: string;
  close(): void;
}

type Run = (spec: ProcessSpec, signal: AbortSignal) => Promise<ProcessOutcome>;

/** All users but the last number, which is none. */
const EVERY_USER = '0 0 4294967295\n';
const MAX_LOOKS = 500;

/** Makes the namespace; only root can. Rejects with the error of the system. */
export async function openRootNamespace(unshare: string, run: Run): Promise<RootNamespace> {
  let tell: (pid: number) => void = () => {};
  const started = new Promise<number>((resolve) => {
    tell = resolve;
  });
  let stdin: Writable | null = null;
  const onInput = (opened: Writable) => {
    stdin = opened;
  };
  // Waits on its stdin, in a namespace without a name, until this process holds it open.
  const spec = { command: unshare, args: ['--user', 'cat'], cwd: '/', env: {}, timeoutMs: 10_000 };
  const ended = run({ ...spec, onStart: tell, onInput }, new AbortController().signal);
  try {
    const pid = await Promise.race([started, ended.then(() => Promise.reject(new Error('unshare does not work')))]);
    await unshared(pid);
    for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${pid}/${map}`, EVERY_USER);
    const descriptor = openSync(`/proc/${pid}/ns/user`, 'r');
    return { path: `/proc/${thisProcess().pid}/fd/${descriptor}`, close: () => closeSync(descriptor) };
  } finally {
    (stdin as Writable | null)?.end();
    await ended.catch(() => {});
  }
}

async function unshared(pid: number): Promise<void> {
  const ours = readlinkSync('/proc/self/ns/user');
  for (let look = 0; look < MAX_LOOKS; look++) {
    if (readlinkSync(`/proc/${pid}/ns/user`) !== ours) return;
    await sleep(2);
  }
  throw new Error('unshare makes no user namespace');
}
