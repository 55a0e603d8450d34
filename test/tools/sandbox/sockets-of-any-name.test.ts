import { once } from 'node:events';
import { existsSync, linkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { socketFilter } from '../../../src/tools/sandbox/socket-filter.ts';
import type { SandboxSettings } from '../../../src/wire/sandbox-settings.ts';
import { eventually } from '../../support/processes.ts';
import { describeSandboxed, OUTSIDE_TMP, type SandboxRig, sandboxRig } from '../../support/sandbox.ts';
import { createBench } from '../bench.ts';

let rig: SandboxRig | null = null;
afterEach(async () => {
  await rig?.dispose();
  rig = null;
});

/** Counts who connects: what a command prints does not decide. */
async function serverAt(path: string): Promise<() => number> {
  let reached = 0;
  const server = createServer((socket) => {
    reached++;
    socket.on('error', () => {});
    socket.end('reached');
  }).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return () => reached;
}

const speak = (path: string) =>
  `socat -t2 - UNIX-CONNECT:${path} </dev/null; curl -s --max-time 2 --unix-socket ${path} http://x/; ` +
  `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9))'; ` +
  `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,sockaddr_un("${path}"))'`;

/** With a host the filter begins later, because the bridge to the proxy needs such sockets. */
const networks = [
  ['without a network', {}],
  ['with a network', { allowedDomains: ['example.com'] }],
] satisfies [string, NonNullable<SandboxSettings['network']>][];

describeSandboxed.each(networks)('[SBX-06] no unix socket can be reached, %s', (_title, network) => {
  test.each([
    ['moved after it was bound', (from: string, to: string) => renameSync(from, to)],
    ['linked', (from: string, to: string) => linkSync(from, to)],
    ['named by a symbolic link', (from: string, to: string) => symlinkSync(from, to)],
  ])('%s', async (_how, rename) => {
    const bench = createBench(OUTSIDE_TMP);
    const reached = await serverAt(join(bench.dir, 'first.sock'));
    rename(bench.path('first.sock'), bench.path('other.sock'));
    rig = await sandboxRig({ network }, { bench });
    await rig.sh(`${speak('other.sock')}; ${speak(bench.path('other.sock'))}; ${speak('first.sock')}`);
    expect(reached()).toBe(0);
  });

  test('bound while the command runs', async () => {
    const bench = createBench(OUTSIDE_TMP);
    rig = await sandboxRig({ network }, { bench });
    const wait = 'touch begun; for i in $(seq 200); do [ -S late.sock ] && break; sleep 0.05; done; ';
    const running = rig.sh(`${wait}${speak('late.sock')}`);
    await eventually(() => existsSync(bench.path('begun')));
    const reached = await serverAt(bench.path('late.sock'));
    await running;
    expect(reached()).toBe(0);
  });

  test('by any other way to make a socket: datagrams, pairs, old and new calls', async () => {
    const bench = createBench(OUTSIDE_TMP);
    writeFileSync(bench.path('try.py'), TRY);
    rig = await sandboxRig({ network }, { bench });
    const receiver = `import socket,sys; s=socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("in.sock"); s.settimeout(9); open("ready","w"); d=s.recv(99); open("got","wb").write(d)`;
    void bench.processes
      .run(
        { command: 'python3', args: ['-c', receiver], cwd: bench.dir, env: process.env },
        new AbortController().signal,
      )
      .catch(() => {});
    await eventually(() => existsSync(bench.path('ready')));
    const output = await rig.sh('python3 try.py');
    expect(output.split('\n').filter((line) => line.startsWith('through'))).toEqual([]);
    expect(output).toContain('a connected pair works');
    expect(existsSync(bench.path('got'))).toBe(false);
  });
});

describeSandboxed('[SBX-06] init.sandbox', () => {
  test.each([
    [{}, 'none'],
    [{ allowedDomains: ['example.com'] }, 'none'],
    [{ allowUnixSockets: ['/tmp/x'] }, 'listed'],
    [{ allowAllUnixSockets: true }, 'all'],
  ])('tells which sockets can be reached: %j', async (network, expected) => {
    rig = await sandboxRig({ network });
    expect(rig.sandbox.info().unix_sockets).toBe(expected);
  });
});

test('[SBX-06] the filter is made for the processors that it knows', () => {
  for (const arch of ['x64', 'arm64']) expect((socketFilter(arch)?.length ?? 1) % 8).toBe(0);
  expect(socketFilter('mips')).toBeNull();
});

const TRY = `
import socket, ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, act):
    try:
        act(); print('through', name)
    except OSError as error:
        print('refused', name, error)
def send(s):
    s.sendto(b'hello', 'in.sock')
for kind in ('SOCK_STREAM', 'SOCK_DGRAM', 'SOCK_SEQPACKET', 'SOCK_RAW'):
    attempt(kind, lambda: socket.socket(socket.AF_UNIX, getattr(socket, kind)))
    attempt(kind + ' with flags', lambda: socket.socket(socket.AF_UNIX, getattr(socket, kind) | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK, 1))
for kind in ('SOCK_DGRAM', 'SOCK_RAW'):
    attempt('pair of ' + kind, lambda: send(socket.socketpair(socket.AF_UNIX, getattr(socket, kind))[0]))
a, b = socket.socketpair()
attempt('a connected pair elsewhere', lambda: a.connect('in.sock'))
attempt('a connected pair, sending', lambda: a.sendto(b'hello', 'in.sock'))
a.send(b'x'); print('a connected pair works', b.recv(1))
def call(number, *args):
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) for each in args])
    if got < 0: raise OSError(ctypes.get_errno(), 'call')
if platform.machine() == 'x86_64':
    attempt('socket with high bits', lambda: call(41, (1 << 32) | 1, 2, 0))
    attempt('x32 socket', lambda: call(0x40000000 | 41, 1, 2, 0))
    attempt('io_uring', lambda: call(425, 1, 0))
socket.socket(socket.AF_INET).close()
`;
