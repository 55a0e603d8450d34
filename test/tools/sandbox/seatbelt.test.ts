import { expect, test } from 'vitest';
import type { Confinement } from '../../../src/tools/sandbox/confinement.ts';
import { createSeatbelt, seatbeltProfile } from '../../../src/tools/sandbox/seatbelt.ts';

const confinement: Confinement = {
  writable: ['/Users/u/work "x"'],
  protectedPaths: [{ path: '/Users/u/work "x"/.git/hooks' }, { path: '/Users/u/.zshrc' }],
  hidden: ['/Users/u/.aws'],
  unixSockets: ['/var/run/docker.sock'],
};

test('[P8] the profile for macOS opens what may be written, then closes what is protected', () => {
  const lines = seatbeltProfile({
    confinement,
    tmp: '/private/tmp/s',
    proxyPort: 4000,
    allowLocalBinding: false,
  }).split('\n');
  const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
  const work = '/Users/u/work \\"x\\"';
  expect(lines[0]).toBe('(version 1)');
  expect(lines).toContain(`(allow file-write* (subpath "${work}") (subpath "/private/tmp/s"))`);
  expect(lines).toContain(`(deny file-write* (subpath "${work}/.git/hooks"))`);
  expect(lines).toContain(`(deny file-write-unlink (literal "${work}/.git") (literal "${work}"))`);
  expect(lines).toContain('(deny file-read* file-write* (subpath "/Users/u/.aws"))');
  expect(lines).toContain('(allow network-outbound (remote ip "localhost:4000"))');
  expect(lines).toContain('(allow network* (subpath "/var/run/docker.sock"))');
  expect(at('(deny file-write*)')).toBeLessThan(at('(allow file-write* (subpath'));
  expect(at('(allow file-write* (subpath')).toBeLessThan(at('(deny file-write* (subpath'));
  expect(at('(deny network*)')).toBeLessThan(at('(allow network-outbound'));
});

test('without a proxy there is no network; local ports only where they are allowed', () => {
  const options = { confinement, tmp: '/t', allowLocalBinding: false };
  expect(seatbeltProfile(options)).not.toContain('localhost');
  expect(seatbeltProfile({ ...options, allowLocalBinding: true })).toContain(
    '(allow network-bind (local ip "localhost:*"))',
  );
});

test('the command is run by sandbox-exec, with the proxy in its environment', () => {
  const seatbelt = createSeatbelt({ allowLocalBinding: false });
  const spec = { command: '/bin/bash', args: ['-c', 'true'], cwd: '/', env: { HTTPS_PROXY: 'http://outside:1' } };
  const outlet = { at: { host: '127.0.0.1', port: 4000 }, noProxy: ['localhost'] };
  const { spec: confined } = seatbelt.confine(spec, { confinement, tmp: '/t', state: '/s', filter: 'all', outlet });
  expect(confined.command).toBe('/usr/bin/sandbox-exec');
  expect(confined.args.slice(-3)).toEqual(['/bin/bash', '-c', 'true']);
  expect(confined.env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:4000', NO_PROXY: 'localhost', TMPDIR: '/t' });
});
