import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clipboardImage, copySequence, copyWithProgram, imageOfFile } from '../../../src/tui/clipboard/clipboard.ts';
import { imagePathIn } from '../../../src/tui/clipboard/image-path.ts';
import { afterTest } from '../../support/after-test.ts';

/** One black pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A folder with programs, which is all that the PATH has. */
function withPrograms(programs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-clipboard-'));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, options: { env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':0' }, platform: 'linux' as const } };
}

describe('an image of the clipboard', () => {
  test('comes from the program that has one', async () => {
    const { options } = withPrograms({ xclip: 'exit 1', 'wl-paste': `echo ${PNG} | base64 -d` });
    expect(await clipboardImage(options)).toEqual({ image: { mediaType: 'image/png', data: PNG, size: '1×1' } });
  });

  test.each([
    ['no image', { xclip: 'exit 1', 'wl-paste': 'exit 1' }, {}, 'There is no image in the clipboard'],
    [
      'something else',
      { xclip: 'echo hello, world!' },
      {},
      'The clipboard has no PNG, JPEG, GIF or WebP that could be read',
    ],
    ['ssh', {}, { SSH_CONNECTION: '1' }, 'Over ssh the clipboard is out of reach: paste the path of an image'],
  ])('%s is said', async (_name, programs, env, problem) => {
    const { options } = withPrograms(programs);
    expect(await clipboardImage({ ...options, env: { ...options.env, ...env } })).toEqual({ problem });
  });

  test('without a program it names them', async () => {
    const { options } = withPrograms({});
    const nowhere = { ...options, env: { PATH: '/nonexistent' } };
    expect(await clipboardImage(nowhere)).toEqual({ problem: 'Reading the clipboard needs xclip or wl-paste' });
  });
});

test('a file that is dropped into the terminal is attached, and a bad one is named', () => {
  const { folder } = withPrograms({});
  const path = join(folder, 'a.png');
  writeFileSync(path, Buffer.from(PNG, 'base64'));
  expect(imageOfFile(path)).toEqual({ image: { mediaType: 'image/png', data: PNG, size: '1×1' } });
  writeFileSync(path, 'no image');
  expect(imageOfFile(path)).toEqual({ problem: `${path} has no PNG, JPEG, GIF or WebP that could be read` });
  expect(imageOfFile(join(folder, 'none.png'))).toMatchObject({ problem: expect.stringContaining('ENOENT') });
});

describe('a paste that is the path of an image', () => {
  const where = { cwd: '/project', home: '/home/me' };
  test.each([
    ['/tmp/a.png', '/tmp/a.png'],
    [' /tmp/a.JPG\n', '/tmp/a.JPG'],
    ["'/tmp/my file.png'", '/tmp/my file.png'],
    ['"/tmp/my file.webp"', '/tmp/my file.webp'],
    ['/tmp/my\\ file.gif', '/tmp/my file.gif'],
    ['file:///tmp/my%20file.png', '/tmp/my file.png'],
    ['~/a.png', '/home/me/a.png'],
    ['./a.png', '/project/a.png'],
  ])('%j', (pasted, path) => {
    expect(imagePathIn(pasted, where)).toBe(path);
  });

  test.each([
    '',
    'a.png',
    '/tmp/a.txt',
    '/tmp/a.png /tmp/b.png',
    'see /tmp/a.png',
    '/tmp/a.png\n/tmp/b.png',
    'file://%',
    "'/a.png",
  ])('%j is text', (pasted) => {
    expect(imagePathIn(pasted, where)).toBeNull();
  });
});

describe('copying', () => {
  test('by a program of the system, else by the terminal', async () => {
    const { folder, options } = withPrograms({ xclip: 'cat > "$(dirname "$0")/copied"' });
    expect(await copyWithProgram('some text', options)).toBe('xclip');
    expect(readFileSync(join(folder, 'copied'), 'utf8')).toBe('some text');
    expect(await copyWithProgram('x', { ...options, env: { ...options.env, SSH_CONNECTION: '1' } })).toBeNull();
    expect(await copyWithProgram('x', { ...options, env: { PATH: '/nonexistent', DISPLAY: ':0' } })).toBeNull();
  });

  test('the sequence holds the text in base64, so that nothing in it acts', () => {
    expect(copySequence('\x1b]0;x\x07')).toBe(`\x1b]52;c;${Buffer.from('\x1b]0;x\x07').toString('base64')}\x07`);
    expect(copySequence('x'.repeat(200_000))).toBeNull();
  });
});
