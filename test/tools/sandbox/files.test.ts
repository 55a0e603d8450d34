import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { shellPort } from '../../../src/tools/shell/shell-port.ts';
import { rules } from '../../permissions/policy-for.ts';
import { eventually } from '../../support/processes.ts';
import { describeSandboxed, OUTSIDE_TMP, type SandboxRig, sandboxRig } from '../../support/sandbox.ts';
import { withService } from '../../support/tool-services.ts';
import { createBench } from '../bench.ts';

let rig: SandboxRig;
afterEach(() => rig.dispose());

async function open(...args: Parameters<typeof sandboxRig>): Promise<SandboxRig> {
  rig = await sandboxRig(...args);
  return rig;
}

const outside = (name: string) => join(rig.bench.dir, '..', name);
const inside = (name: string) => join(rig.bench.dir, name);
/** What stands in for them goes with the command, or a moment later. */
const gone = (...names: string[]) => eventually(() => !names.some((name) => existsSync(inside(name))));

describeSandboxed('files in the sandbox', () => {
  test('[SBX-01] can be written below the working directory and in /tmp, and nowhere else', async () => {
    await open();
    expect(await rig.sh('mkdir -p a/b && echo hi > a/b/c && cat a/b/c && echo t > /tmp/t && cat "$TMPDIR/t"')).toBe(
      'hi\nt',
    );
    expect(readFileSync(inside('a/b/c'), 'utf8')).toBe('hi\n');
    expect(await rig.sh(`echo hi > ${outside('x')}`)).toMatch(/^Exit code 1\n.*Read-only file system/);
    expect(await rig.sh('touch /usr/bin/x; rm -rf /etc/passwd; : > ~/.bashrc')).toContain('Exit code 1');
    expect(existsSync(outside('x'))).toBe(false);
    expect(existsSync('/etc/passwd')).toBe(true);
  });

  test('what it leaves in /tmp is there for the next command, and not on the machine', async () => {
    await open();
    await rig.sh('echo kept > /tmp/heddle-sandbox-test');
    expect(await rig.sh('cat /tmp/heddle-sandbox-test')).toBe('kept');
    expect(existsSync('/tmp/heddle-sandbox-test')).toBe(false);
  });

  test('a working directory in /tmp is seen there', async () => {
    await open({}, { bench: createBench() });
    expect(await rig.sh('echo hi > x; ls; touch ../y && ls ..')).toBe('x\nwork\ny');
    expect(existsSync(inside('x'))).toBe(true);
    expect(existsSync(outside('y'))).toBe(false);
  });

  test('a hard link cannot be made to what lies outside', async () => {
    await open();
    writeFileSync(outside('target'), 'old');
    expect(await rig.sh('ln ../target here; echo new > here; cat ../target')).toContain('Invalid cross-device link');
    expect(readFileSync(outside('target'), 'utf8')).toBe('old');
  });

  test('additional directories can be written, also one within another', async () => {
    const bench = createBench(OUTSIDE_TMP);
    const [other, nested] = [join(bench.dir, '..', 'other'), join(bench.dir, 'sub')];
    for (const dir of [other, nested]) mkdirSync(dir);
    await open({}, { bench, policy: { roots: [bench.dir, other, nested] } });
    expect(await rig.sh(`touch ${other}/x ${nested}/y && ls ${other} ${nested}`)).toContain('x');
    expect(existsSync(join(nested, 'y'))).toBe(true);
  });

  test('a directory of the session within a protected one can be written, and its own protected paths not', async () => {
    const bench = createBench(OUTSIDE_TMP);
    const tree = join(bench.dir, '.claude/worktrees/w');
    bench.file('.claude/worktrees/w/.git', 'gitdir: ../../../.git/worktrees/w\n');
    bench.file('.claude/settings.json', 'old');
    await open({}, { bench, policy: { roots: [bench.dir, tree] } });
    await rig.sh(`cd ${tree}; echo new > file; echo evil > .git; echo new > ../../settings.json; mv ${tree} ${tree}2`);
    expect(readFileSync(join(tree, 'file'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(tree, '.git'), 'utf8')).toMatch(/^gitdir/);
    expect(readFileSync(inside('.claude/settings.json'), 'utf8')).toBe('old');
  });

  test('[B-203] directories of the settings: writable, read-only, hidden', async () => {
    const bench = createBench(OUTSIDE_TMP);
    for (const dir of ['../cache', 'fixed', 'private']) mkdirSync(join(bench.dir, dir));
    bench.file('private/key', 'secret');
    bench.file('fixed/x', 'old');
    const filesystem = {
      allowWrite: ['../cache', '../not-there'],
      denyWrite: ['fixed/**', 'later/x'],
      denyRead: ['private', '/etc/passwd'],
    };
    await open({ filesystem }, { bench });
    expect(await rig.sh('echo ok > ../cache/x && cat ../cache/x')).toBe('ok');
    const text = await rig.sh(
      'echo new > fixed/x; rm -rf fixed; mv fixed f2; mkdir later; cat private/key; ls private; cat /etc/passwd; mv private p2',
    );
    expect(text).not.toMatch(/secret|root:/);
    expect(existsSync(inside('later'))).toBe(false);
    expect(readFileSync(inside('fixed/x'), 'utf8')).toBe('old');
    expect(readdirSync(inside('private'))).toEqual(['key']);
  });

  test.each(['/', '/proc/sys', '/dev'])('%s can never be opened', async (path) => {
    await open();
    const opened = sandboxRig({ filesystem: { allowWrite: [path] } }, { bench: rig.bench });
    await expect(opened).rejects.toMatchObject({ code: 'invalid_settings', message: expect.stringContaining(path) });
  });

  test('[B-203] plain paths of Read and Edit deny rules are closed to commands, too', async () => {
    const bench = createBench(OUTSIDE_TMP);
    bench.file('.env', 'TOKEN=secret');
    bench.file('deep/er/keys/id', 'secret');
    bench.file('gen/out', 'old');
    const deny = rules('Read(.env)', 'Read(./deep/er/keys/**)', 'Edit(gen/**)');
    await open({}, { bench, policy: { deny } });
    const tricks =
      'python3 -c "print(open(\'.env\').read())"; cat .e*; cp -r deep copy; mv deep moved; cat */er/keys/id; echo new > gen/out';
    expect(await rig.sh(tricks)).not.toContain('secret');
    expect(await rig.sh('cat .env; cat */er/keys/id')).not.toContain('secret');
    expect(readFileSync(inside('gen/out'), 'utf8')).toBe('old');
  });
});

describeSandboxed('what does not exist yet', () => {
  test('leaves no trace of its protection', async () => {
    await open();
    expect(await rig.sh('ls -A')).toBe('.claude\n.git\n.mcp.json');
    await gone('.claude', '.mcp.json', '.git');
  });

  test('is protected as long as one of several commands runs', async () => {
    await open();
    const slow = rig.sh('touch started; until [ -e go ]; do sleep 0.02; done; echo "{}" > .mcp.json; mkdir .claude/x');
    await eventually(() => existsSync(inside('started')));
    await rig.sh('touch go');
    expect(await slow).toMatch(/Is a directory[\s\S]*Read-only file system/);
    await gone('.claude', '.mcp.json', '.git');
  });

  test('is protected while a command of another session runs', async () => {
    await open();
    const other = await sandboxRig({}, { bench: rig.bench });
    const slow = other.sh(
      'touch started; until [ -e go ]; do sleep 0.02; done; echo "{}" > .mcp.json; mkdir .claude/x',
    );
    await eventually(() => existsSync(inside('started')));
    await rig.sh('true');
    await rig.sandbox.close();
    writeFileSync(inside('go'), '');
    expect(await slow).toMatch(/Is a directory[\s\S]*Read-only file system/);
    await other.sandbox.close();
    await gone('.claude', '.mcp.json', '.git');
  });

  test('what a killed run has left behind is taken over and goes', async () => {
    await open();
    for (const name of ['.mcp.json', '.claude']) {
      mkdirSync(inside(name));
      utimesSync(inside(name), 1, 1);
    }
    await rig.sh('true');
    await gone('.claude', '.mcp.json', '.git');
  });

  test('what the user makes meanwhile stays', async () => {
    await open();
    const slow = rig.sh('touch started; sleep 0.3');
    await eventually(() => existsSync(inside('started')));
    writeFileSync(join(inside('.claude'), 'settings.json'), '{}');
    await slow;
    expect(readdirSync(inside('.claude'))).toEqual(['settings.json']);
  });
});

describeSandboxed('[G6] what exists', () => {
  test('settings, MCP servers, hooks and configuration of git stay as they are', async () => {
    const bench = createBench(OUTSIDE_TMP);
    const files = [
      '.claude/settings.json',
      '.mcp.json',
      '.git/config',
      '.git/hooks/pre-commit',
      '.git/modules/m/config',
    ];
    for (const file of [...files, '.git/HEAD']) bench.file(file, 'old');
    await open({}, { bench });
    const tries = files.flatMap((file) => [`echo new > ${file}`, `rm -f ${file}`, `echo n > n; mv -f n ${file}`]);
    await rig.sh([...tries, 'mv .git g2', 'mv .claude c2', 'rm -rf .git .claude', 'touch .git/hooks/x'].join('; '));
    for (const file of files) expect(readFileSync(inside(file), 'utf8'), file).toBe('old');
    expect(readdirSync(inside('.git/hooks'))).toEqual(['pre-commit']);
  });

  test('commits can be made, and git finds no other configuration', async () => {
    await open();
    const bench = rig.bench;
    const id = '-c user.name=t -c user.email=t@example.com';
    // Outside of the sandbox, as the user would.
    const service = withService(bench.context.service, shellPort, { sandbox: null });
    const { createBashTool } = await import('../../../src/tools/shell/bash.ts');
    const user = createBashTool({ isReadOnly: () => false });
    await bench.run(user, { command: 'git init -q . && rm -rf .git/hooks' }, { service });
    bench.file('a.txt', 'a');
    expect(await rig.sh(`git add -A && git ${id} commit -q -m one && git log --format=%s && git status --short`)).toBe(
      'one',
    );
    expect(await rig.sh('git show --stat --format= | cat')).not.toContain('.mcp.json');
    const evil = 'mkdir e; printf "[core]\\n\\tfsmonitor = touch ../pwned\\n" > e/config; ';
    await rig.sh(
      `${evil} echo ../e > .git/commondir; cp e/config .git/config.worktree; mkdir -p .git/hooks; touch .git/hooks/x`,
    );
    expect(await bench.run(user, { command: 'git status --short' }, { service })).toMatchObject({ content: '?? e/' });
    await gone('.git/commondir', '.git/config.worktree', '.git/hooks');
  });

  test('a link in the place of something protected is refused, because it could be replaced', async () => {
    await open();
    mkdirSync(outside('shared'));
    symlinkSync(outside('shared'), inside('.claude'));
    expect(await rig.sh('touch x')).toMatch(/^Nothing was run: .*\.claude is a symbolic link/);
    expect(lstatSync(inside('.claude')).isSymbolicLink()).toBe(true);
    expect(existsSync(inside('x'))).toBe(false);
  });

  test('shell start files and the config home are closed where the home is worked in', async () => {
    const bench = createBench(OUTSIDE_TMP);
    bench.file('.bashrc', 'old');
    bench.file('.heddle/settings.json', 'old');
    await open({}, { bench, env: { HOME: bench.dir } });
    await rig.sh(
      'echo new > .bashrc; echo new > .zshenv; mkdir -p .ssh .config/git; touch .ssh/x .config/git/config; ls -A',
    );
    expect(readFileSync(inside('.bashrc'), 'utf8')).toBe('old');
    await gone('.zshenv', '.ssh', '.config');
  });

  test('a second name of a protected file is no way in', async () => {
    const bench = createBench(OUTSIDE_TMP);
    bench.file('.git/config', 'old');
    await open({}, { bench });
    expect(await rig.sh('ln .git/config c && echo new > c')).toContain('cross-device');
    linkSync(inside('.git/config'), outside('c')); // one that was there before is the user's own
    expect(readFileSync(inside('.git/config'), 'utf8')).toBe('old');
  });
});

describeSandboxed('as root', () => {
  test.skipIf(process.getuid?.() !== 0)(
    'there are no capabilities and no settings of the kernel to change',
    async () => {
      await open();
      const text = await rig.sh(
        'grep CapEff /proc/self/status; mount -o remount,rw,bind / ; echo x > /proc/sys/kernel/core_pattern; umount /tmp; ls /proc/1/root/root',
      );
      expect(text).toContain('CapEff:\t0000000000000000');
      expect(text).toMatch(/core_pattern: Read-only file system/);
      expect(text).toMatch(/mount: .*(denied|superuser)/);
    },
  );
});
