import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeSandboxed, OUTSIDE_TMP, sandboxRig } from '../../support/sandbox.ts';
import { createBench } from '../bench.ts';

const SOMEBODY = 1234;

/** A directory that only its owner may enter. For root, whom nothing keeps out, it is somebody else's. */
function closeDirectory(path: string): void {
  chmodSync(path, process.getuid?.() === 0 ? 0o700 : 0o000);
  if (process.getuid?.() === 0) chownSync(path, SOMEBODY, SOMEBODY);
  onTestFinished(() => chmodSync(path, 0o700));
}

async function listenAt(path: string): Promise<string> {
  mkdirSync(dirname(path));
  const server = createServer((socket) => socket.end('reached')).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return path;
}

describeSandboxed('[SBX-06, SBX-07] a socket in a directory that only another user may enter', () => {
  const places = [
    ['below /tmp', '/tmp'],
    ['elsewhere', OUTSIDE_TMP],
  ] as const;
  const cases = places.flatMap(([where, parent]) =>
    [false, true].map((allowAllUnixSockets) => ({ where, parent, allowAllUnixSockets })),
  );

  test.each(cases)('breaks no command ($where, all sockets allowed: $allowAllUnixSockets)', async (each) => {
    const other = createBench(each.parent);
    onTestFinished(() => other.dispose());
    const socket = await listenAt(join(other.dir, 'private', 's.sock'));
    closeDirectory(dirname(socket));
    const rig = await sandboxRig({ network: { allowAllUnixSockets: each.allowAllUnixSockets } });
    onTestFinished(() => rig.dispose());
    await rig.sh('touch made');
    expect(existsSync(rig.bench.path('made'))).toBe(true);
    expect(await rig.sh(`socat -t2 - UNIX-CONNECT:${socket} </dev/null`)).not.toContain('reached');
  });

  test('a denied path in such a directory breaks no command, and stays out of reach', async () => {
    const other = createBench(OUTSIDE_TMP);
    onTestFinished(() => other.dispose());
    const secret = await listenAt(join(other.dir, 'private', 'secret'));
    closeDirectory(dirname(secret));
    const rig = await sandboxRig({ filesystem: { denyRead: [secret] } });
    onTestFinished(() => rig.dispose());
    await rig.sh('touch made');
    expect(existsSync(rig.bench.path('made'))).toBe(true);
    expect(await rig.sh(`stat ${secret}`)).toMatch(/Permission denied|No such file/);
  });
});
