import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { describeGuarded, type GuardRig, guardRig } from '../../support/path-guard.ts';
import { eventually } from '../../support/processes.ts';

let rig: GuardRig;
afterEach(() => rig.dispose());

describeGuarded('[G13] the kernel holds path rules', () => {
  test('a denied file cannot be read, a locked one cannot be changed, all else goes on', async () => {
    rig = await guardRig(['Read(./.env)', 'Edit(./locked/**)']);
    const text = rig.secret('.env');
    const locked = rig.secret('locked/a');
    expect(rig.guard.info()).toEqual({ enforcement: 'auto', held_by: 'kernel', provider: 'bubblewrap' });
    const output = await rig.sh(
      'cat .env; cat locked/a; echo new > locked/a; rm -rf locked .env; echo made > x; id -u',
    );
    expect(output).not.toContain(text);
    expect(output).toContain(locked);
    expect(output).toContain(String(process.getuid?.()));
    expect(rig.read('locked/a')).toBe(`${locked}\n`);
    expect(rig.read('x')).toBe('made\n');
  });

  test('the rest stays as it is: processes, network, temporary files, exit codes', async () => {
    rig = await guardRig(['Read(./.env)']);
    rig.secret('.env');
    const spaces = (text: string) => text.match(/(?:net|pid|ipc|uts):\[\d+\]/g);
    const look = 'readlink /proc/self/ns/net /proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts; hostname; pwd';
    const inside = await rig.sh(look);
    rig.deny();
    expect(spaces(inside)).toEqual(spaces(await rig.sh(look)));
    rig.deny('Read(./.env)');
    expect(await rig.sh('mount | grep -c "$PWD/.env"')).toBe('1\n');
    expect(await rig.sh('(exit 7); echo $?; sleep 30 & kill $!; echo "$0"')).toContain('7\n');
  });

  test.each([
    ['a name at any depth', 'Read(.env)', ['.env', 'a/.env', 'a/b/c/.env'], ['a/env']],
    ['a pattern at any depth', 'Read(**/*.pem)', ['x.pem', 'a/y.pem', 'node_modules/m/z.pem'], ['a/y.txt']],
    ['a pattern in one place', 'Read(./keys/*.key)', ['keys/a.key'], ['keys/deep/b.key', 'c.key']],
    ['a pattern in the middle', 'Read(./app/*/secret/**)', ['app/x/secret/a', 'app/y/secret/deep/b'], ['app/secret']],
    ['a question mark, in any case', 'Read(./s?cret.TXT)', ['secret.txt'], ['sccret.md']],
    ['a directory by its name', 'Read(secrets/)', ['secrets/a', 'deep/secrets/b'], ['secrets.txt']],
  ])('[G13, K44] %s: %s', async (_title, rule, hidden, open) => {
    rig = await guardRig([rule]);
    const texts = hidden.map((name) => rig.secret(name));
    const others = open.map((name) => rig.secret(name));
    const output = await rig.sh(`cat ${[...hidden, ...open].join(' ')}`);
    for (const text of texts) expect(output).not.toContain(text);
    for (const text of others) expect(output).toContain(text);
  });

  test('a rule about a link holds for what it leads to, also after the link was changed', async () => {
    rig = await guardRig(['Read(./link/key)', 'Edit(./fixed)']);
    const text = rig.secret('real/key');
    const fixed = rig.secret('behind');
    symlinkSync('real', rig.path('link'));
    symlinkSync('behind', rig.path('fixed'));
    const output = await rig.sh('cat link/key real/key; ln -sfn elsewhere link; cat real/key; echo new > behind');
    expect(output + (await rig.sh('cat real/key; rm link; cat real/key'))).not.toContain(text);
    expect(rig.read('behind')).toBe(`${fixed}\n`);
  });

  test('a directory that was moved with a denied path in it takes the rule along', async () => {
    rig = await guardRig(['Read(./a/b/key)', 'Edit(./c/d/**)', 'Read(.env)']);
    const text = rig.secret('a/b/key');
    const env = rig.secret('sub/.env');
    const fixed = rig.secret('c/d/file');
    await rig.sh('mv a moved; mv c "m (deleted)"; mv sub ../out; mkdir -p a/b; echo harmless > a/b/key');
    const output = await rig.sh(
      'cat moved/b/key a/b/key ../out/.env; echo new > "m (deleted)/d/file"; mv moved again; cat again/b/key',
    );
    expect(output + (await rig.sh('cat again/b/key ../out/.env'))).not.toMatch(new RegExp(`${text}|${env}`));
    expect(rig.read('m (deleted)/d/file')).toBe(`${fixed}\n`);
  });

  test('rules that come later hold from the next command on, and those that go do no longer', async () => {
    rig = await guardRig([]);
    const text = rig.secret('.env');
    expect(rig.guard.info()).toBeNull();
    expect(await rig.sh('cat .env')).toContain(text);
    rig.deny('Read(./.env)');
    expect(await rig.sh('cat .env')).not.toContain(text);
    rig.deny();
    expect(await rig.sh('cat .env')).toContain(text);
  });

  test('[G12] Heddle itself, its settings and its keys are closed wherever rules are held', async () => {
    rig = await guardRig(['Read(./.env)'], {});
    rig.secret('.env');
    await rig.guard.close();
    const own = rig.path('node_modules/heddle');
    rig = await guardRig(['Read(./.env)'], { bench: rig.bench, ownProgram: [own] });
    const program = rig.secret('node_modules/heddle/dist/x.js');
    const settings = rig.secret('.claude/settings.json');
    const keys = rig.secret('../home/.heddle/api-keys.json');
    const output = await rig.sh(
      'echo new > node_modules/heddle/dist/x.js; rm -rf node_modules/heddle; echo new > .claude/settings.json; cat ../home/.heddle/api-keys.json',
    );
    expect(rig.read('node_modules/heddle/dist/x.js')).toBe(`${program}\n`);
    expect(rig.read('.claude/settings.json')).toBe(`${settings}\n`);
    expect(output).not.toContain(keys);
  });

  test('git does not take what is hidden for deleted', async () => {
    rig = await guardRig(['Read(./.env)']);
    rig.secret('.env');
    await rig.sh('git init -q . && git config user.email a@b.example && git config user.name a');
    rig.deny();
    await rig.sh('git add -f .env && git commit -qm first');
    rig.deny('Read(./.env)');
    await rig.sh('echo x > other; git add -A; git commit -qam second');
    expect(await rig.sh('git ls-tree -r --name-only HEAD')).toContain('.env\n');
  });
});

describeGuarded('[G13] what the kernel line does not cover', () => {
  test('a file that appears while a command runs: the next command does not see it', async () => {
    rig = await guardRig(['Read(**/*.pem)']);
    rig.secret('a.pem');
    const running = rig.sh(
      'touch begun; for i in $(seq 200); do [ -e late.pem ] && break; sleep 0.05; done; cat late.pem',
    );
    await eventually(() => existsSync(rig.path('begun')));
    const text = rig.secret('late.pem');
    expect(await running).toContain(text);
    expect(await rig.sh('cat late.pem')).not.toContain(text);
  });

  test('a denied file that the user replaces while a command runs', async () => {
    rig = await guardRig(['Read(./.env)']);
    rig.secret('.env');
    const text = rig.secret('new');
    const running = rig.sh('touch begun; for i in $(seq 200); do cat .env 2>/dev/null && break; sleep 0.05; done');
    await eventually(() => existsSync(rig.path('begun')));
    renameSync(rig.path('new'), rig.path('.env'));
    expect(await running).toContain(text);
    expect(await rig.sh('cat .env')).not.toContain(text);
  });

  test('a path that does not exist can be made, and is closed from the next command on', async () => {
    rig = await guardRig(['Edit(./locked/**)']);
    await rig.sh('mkdir locked; echo first > locked/a');
    await rig.sh('echo second > locked/a');
    expect(rig.read('locked/a')).toBe('first\n');
  });

  test('another name of the file that a hard link gave it before', async () => {
    rig = await guardRig(['Read(./.env)']);
    const text = rig.secret('.env');
    linkSync(rig.path('.env'), rig.path('other-name'));
    expect(await rig.sh('cat .env')).not.toContain(text);
    expect(await rig.sh('cat other-name')).toContain(text);
  });

  test('names at any depth outside of the directories of the session', async () => {
    rig = await guardRig(['Read(.env)']);
    const [text, inside] = [rig.secret('../home/.env'), rig.secret('.env')];
    const output = await rig.sh('cat ../home/.env .env');
    expect([output.includes(text), output.includes(inside)]).toEqual([true, false]);
  });

  test('a rule that this version cannot read', async () => {
    rig = await guardRig(['Read(./[ab])', 'Read(./.env)']);
    const [text, hidden] = [rig.secret('a'), rig.secret('.env')];
    const output = await rig.sh('cat a .env');
    expect([output.includes(text), output.includes(hidden)]).toEqual([true, false]);
  });

  test('a process that does the work for the command and was started outside', async () => {
    rig = await guardRig(['Read(./.env)']);
    const text = rig.secret('.env');
    rig.deny();
    const server = rig.sh('mkfifo ask answer; cat "$(cat ask)" > answer');
    await eventually(() => existsSync(rig.path('answer')));
    rig.deny('Read(./.env)');
    expect(await rig.sh('echo .env > ask; cat answer')).toContain(text);
    await server;
  });
});

describeGuarded('[G13] permissions.enforcement', () => {
  test('parse: the kernel is not used', async () => {
    rig = await guardRig(['Read(./.env)'], { enforcement: 'parse' });
    const text = rig.secret('.env');
    expect(rig.guard.info()).toEqual({ enforcement: 'parse', held_by: 'parse' });
    expect(await rig.sh('cat .env')).toContain(text);
  });

  test('kernel: a program that a rule forbids is replaced by a script that names the rule', async () => {
    rig = await guardRig(['Bash(uniq:*)', 'Bash(sh:*)', 'Bash(git push:*)'], { enforcement: 'kernel' });
    expect(await rig.sh('echo x | uniq; echo $?')).toMatch(/^uniq: the rule Bash\(uniq:\*\) .*forbids.*\n126\n$/);
    expect(await rig.sh('echo x | xargs env uniq; sh -c "echo x | $(command -v uniq)"')).not.toMatch(/^x$/m);
    expect(await rig.sh('cp "$(command -v uniq)" mine; echo x | ./mine; echo x | sort')).toMatch(/x\n$/);
    expect(await rig.sh('sh -c "echo shell"; git --version')).toMatch(/^shell\ngit version/);
  });

  test('auto: programs are not replaced, because scripts may need them', async () => {
    rig = await guardRig(['Bash(uniq:*)', 'Read(./.env)']);
    rig.secret('.env');
    expect(await rig.sh('echo x | uniq')).toBe('x\n');
  });

  test('kernel: nothing runs while rules mean more than can be told', async () => {
    rig = await guardRig(['Read(**/*.pem)'], { enforcement: 'kernel' });
    mkdirSync(rig.path('many'));
    for (let at = 0; at < 1100; at++) writeFileSync(rig.path(`many/${at}.pem`), '');
    await expect(rig.sh('echo ran')).rejects.toThrow(/^Nothing was run: the path rules mean more files/);
    rmSync(rig.path('many'), { recursive: true });
    expect(await rig.sh('echo ran')).toBe('ran\n');
  });

  test('kernel: a rule that cannot be read keeps the session from starting', async () => {
    rig = await guardRig([]);
    const opened = guardRig(['Read(./[ab])'], { enforcement: 'kernel' });
    await expect(opened).rejects.toMatchObject({ code: 'enforcement_unavailable' });
  });
});

describe('[G13] without a kernel that can', () => {
  const env = { PATH: '/nowhere' };

  test('auto: the run goes on, and tells why', async () => {
    rig = await guardRig(['Read(./.env)'], { env });
    const unavailable = expect.stringMatching(/^bwrap is not installed: .*apt-get install bubblewrap/);
    expect(rig.guard.info()).toEqual({ enforcement: 'auto', held_by: 'parse', unavailable });
    const text = rig.secret('.env');
    expect(await rig.sh('/bin/cat .env')).toContain(text);
  });

  test('kernel: nothing starts, with what to install', async () => {
    rig = await guardRig([]);
    await expect(guardRig([], { env, enforcement: 'kernel' })).rejects.toMatchObject({
      code: 'enforcement_unavailable',
      message: expect.stringContaining('apt-get install bubblewrap'),
    });
  });

  test('a bwrap that does not confine is found out', async () => {
    rig = await guardRig([]);
    const bin = join(rig.bench.dir, '../bin');
    mkdirSync(bin);
    const script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n';
    writeFileSync(join(bin, 'bwrap'), script, { mode: 0o755 });
    const opened = guardRig([], { env: { PATH: `${bin}:${process.env.PATH}` }, enforcement: 'kernel' });
    await expect(opened).rejects.toThrow(/could (?:read|change) what it must not/);
    expect(readFileSync(join(bin, 'bwrap'), 'utf8')).toBe(script);
  });
});
