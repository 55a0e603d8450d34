import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A file system of its own that is soon full. */
export interface SmallDisk {
  path: string;
  /** Takes all room but so many bytes. */
  fill(left: number): void;
  /** Gives back what `fill` took. */
  makeRoom(): void;
  /** Nothing can be written any more, not even by root; false where that cannot be had. */
  makeReadOnly(): boolean;
}

/**
 * A tmpfs of the given size below `root`, gone when the test is over: mounted where we may, else that of a process in a
 * namespace of its own. Null where neither is possible.
 */
export async function makeSmallDisk(root: string, bytes: number): Promise<SmallDisk | null> {
  const path = mounted(join(root, 'disk'), bytes) ?? (await borrowed(bytes));
  if (path === null) return null;
  const filler = join(path, 'filler');
  return {
    path,
    fill(left) {
      const fd = openSync(filler, 'a');
      const { bavail, bsize } = statfsSync(path);
      for (let taken = bavail * bsize - left; taken > 0; ) taken -= writeSync(fd, Buffer.alloc(Math.min(taken, 65536)));
      closeSync(fd);
    },
    makeRoom: () => rmSync(filler, { force: true }),
    makeReadOnly: () => succeeds('mount', ['-o', 'remount,ro', path]),
  };
}

function mounted(path: string, bytes: number): string | null {
  mkdirSync(path);
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', path])) return null;
  onTestFinished(() => void succeeds('umount', ['--lazy', path]));
  return path;
}

/** The file system of a process that does nothing but hold it, seen through /proc. */
async function borrowed(bytes: number): Promise<string | null> {
  const args = ['--dev-bind', '/', '/', '--size', String(bytes), '--tmpfs', '/mnt', '--die-with-parent'];
  const holder = spawn('bwrap', [...args, 'sh', '-c', 'echo $$; exec sleep 3600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const pid = await new Promise<string>((resolve) => {
    holder.on('error', () => resolve(''));
    holder.on('exit', () => resolve(''));
    holder.stdout?.once('data', (text) => resolve(String(text).trim()));
  });
  await sleep(50);
  const path = `/proc/${pid}/root/mnt`;
  return pid !== '' && existsSync(path) ? path : null;
}

function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
