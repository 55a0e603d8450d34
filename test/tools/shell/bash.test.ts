import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import { createShellDirectory } from '../../../src/tools/shell/shell-directory.ts';
import { shellPort } from '../../../src/tools/shell/shell-port.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { SpawnError } from '../../../src/util/process/spawn-error.ts';
import { withService } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
const bash = createBashTool({ isReadOnly: (command) => command.startsWith('ls') });

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

test('[TOOL-02] runs in the working directory and gives the output', async () => {
  const input = { command: 'echo from-bash-42', description: 'Echo', dangerouslyDisableSandbox: true };
  expect(await bench.run(bash, input)).toEqual({
    content: 'from-bash-42',
    isError: false,
    data: { stdout: 'from-bash-42', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
    todaysData: {},
  });
  expect((await bench.run(bash, { command: 'pwd' })).content).toBe(bench.dir);
});

test('shows stderr after stdout', async () => {
  const { content, data } = await bench.run(bash, { command: 'echo err >&2; echo out' });
  expect(content).toBe('out\nerr');
  expect(data).toMatchObject({ stdout: 'out', stderr: 'err' });
});

test('tells where the whole of a long output is', async () => {
  const { todaysData } = await bench.run(bash, { command: 'seq 1 20000' });
  const { persistedOutputPath: path, persistedOutputSize: size } = todaysData ?? {};
  expect(readFileSync(String(path), 'utf8').split('\n')).toHaveLength(20_001);
  expect(size).toBe(statSync(String(path)).size);
});

test('tells what a command has done with git, and nothing of others', async () => {
  const git = 'git -c user.name=a -c user.email=a@example.com';
  const commit = async (command: string) => (await bench.run(bash, { command })).todaysData;
  expect(await commit(`git init -q -b main . && touch a && git add a && ${git} commit -m one`)).toMatchObject({
    gitOperation: { commit: { kind: 'committed', branch: 'main', sha: expect.stringMatching(/^[0-9a-f]{7,}$/) } },
  });
  expect(await commit(`${git} commit --amend -m two`)).toMatchObject({ gitOperation: { commit: { kind: 'amended' } } });
  expect(await commit('git checkout -q -b side')).not.toHaveProperty('gitOperation');
  expect(
    await commit(`touch b && git add b && ${git} commit -qm b && git checkout -q main && git merge side`),
  ).toMatchObject({ gitOperation: { branch: { ref: 'side', action: 'merged' } } });
  expect(await commit('git init -q --bare ../remote && git push ../remote main')).toMatchObject({
    gitOperation: { push: { branch: 'main' } },
  });
  expect(await commit('echo "git commit"; git log -1 --format=%s')).not.toHaveProperty('gitOperation');
});

test('knows which commands are silent', async () => {
  const { content, data } = await bench.run(bash, { command: 'touch made-by-bash.txt' });
  expect(content).toBe('');
  expect(data).toMatchObject({ noOutputExpected: true });
});

test.each([
  ['echo out; echo err 1>&2; exit 3', 'Exit code 3\nerr\n\nout'],
  ['echo out; exit 1', 'Exit code 1\nout'],
  ['echo err >&2; false', 'Exit code 1\nerr'],
  ['false', 'Exit code 1'],
  ['kill -9 $$', 'Exit code 137 (ended by SIGKILL)'],
])('a failure is an error with all output: %s', async (command, message) => {
  await expect(bench.run(bash, { command })).rejects.toMatchObject({ name: 'ToolError', wrap: false, message });
});

test('[H-4] a time-out says so and gives the output so far', async () => {
  const input = { command: 'echo early; sleep 60', timeout: 200 };
  await expect(bench.run(bash, input)).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringMatching(/all it had started was ended after 0\.2 s \(timeout\).*\nearly$/),
  });
});

test('honours the time-out settings of the environment', async () => {
  const env = { ...bench.context.env, BASH_DEFAULT_TIMEOUT_MS: '150', BASH_MAX_TIMEOUT_MS: '250' };
  await expect(bench.run(bash, { command: 'sleep 60' }, { env })).rejects.toThrow(/0\.15 s/);
  await expect(bench.run(bash, { command: 'sleep 60', timeout: 99_999 }, { env })).rejects.toThrow(/0\.25 s/);
});

test('an abort is an error with the output so far', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Aborted('interrupt')), 150);
  const run = bench.run(bash, { command: 'echo early; sleep 60' }, { signal: controller.signal });
  await expect(run).rejects.toMatchObject({ name: 'ToolError', message: 'The command was interrupted.\nearly' });
});

test('[H-7] says that a process still runs', async () => {
  const { content } = await bench.run(bash, { command: 'echo started; sleep 60 &' });
  expect(content).toMatch(/^started\n\[A process .* still running/);
});

test('[G4] hands on the environment it was given, and no other', async () => {
  const env = { ...bench.context.env, GIVEN: 'yes', ABSENT: undefined };
  const { content } = await bench.run(bash, { command: 'env | sort' }, { env });
  expect(content).toContain('GIVEN=yes');
  expect(content).toContain('CLAUDECODE=1');
  expect(content).not.toContain('HOME=');
  expect(content).not.toContain('ABSENT');
});

test('finds a bash that is not in /bin', async () => {
  const tried: string[] = [];
  const { workspace } = bench.context;
  const elsewhere = {
    ...workspace,
    exec: (...[spec, signal]: Parameters<typeof workspace.exec>) => {
      tried.push(spec.command);
      if (spec.command === '/bin/bash') return Promise.reject(new SpawnError('none', { code: 'ENOENT' }));
      return workspace.exec(spec, signal);
    },
  };
  expect((await bench.run(bash, { command: 'echo ok' }, { workspace: elsewhere })).content).toBe('ok');
  // By its path: a program in the working directory would not be taken for it.
  expect(tried).toEqual(['/bin/bash', expect.stringMatching(/^\/.*bash$/)]);
});

test('says why it cannot run', async () => {
  const directory = createShellDirectory({ start: join(bench.dir, 'gone'), isInside: () => true });
  const service = withService(bench.context.service, shellPort, { directory });
  await expect(bench.run(bash, { command: 'true' }, { service })).rejects.toThrow(/directory .*gone does not exist/);
});

describe('long output', () => {
  test('[M-12] is shortened in the middle and kept whole in a private file', async () => {
    const command = 'echo first; head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last';
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const { content, data } = await bench.run(bash, { command });
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;
    expect(grown).toBeLessThan(25_000_000);
    const text = String(content);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^first\nx+\n\n\[… \d+ of 30000012 characters left out here; the whole output is in (.*) …\]/);
    expect(text).toMatch(/x\nlast$/);
    expect(JSON.stringify(data).length).toBeLessThan(32_000);
    const file = /whole output is in (\S+)/.exec(text)?.[1] ?? '';
    expect(statSync(file)).toMatchObject({ size: 30_000_012 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(bench.context.spillDir).mode & 0o777).toBe(0o700);
  });

  test('is limited as the environment says', async () => {
    const env = { ...bench.context.env, BASH_MAX_OUTPUT_LENGTH: '100' };
    const { content } = await bench.run(bash, { command: 'seq 1 1000' }, { env });
    expect(content).toMatch(/^1\n2\n[\s\S]{10,60}\[… \d+ of 3893 characters/);
    const [file = ''] = readdirSync(bench.context.spillDir);
    expect(readFileSync(join(bench.context.spillDir, file), 'utf8')).toMatch(/^1\n2\n[\s\S]*\n1000\n$/);
  });

  test('leaves no file when it is not long', async () => {
    await bench.run(bash, { command: 'seq 1 100' });
    expect(existsSync(bench.context.spillDir)).toBe(false);
  });
});

describe('a picture', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };

  test('that a command prints as a data URI is shown as one', async () => {
    const { content, data } = await bench.run(bash, {
      command: `echo data:image/png;base64,${PNG}`.replace(';', '\\;'),
    });
    expect(content).toEqual([image]);
    expect(data).toMatchObject({ isImage: true, stdout: `data:image/png;base64,${PNG}` });
  });

  test('comes with what was said beside it, and may be wrapped', async () => {
    const command = `echo note >&2; printf 'data:image/png;base64,'; echo ${PNG} | fold -w 40`;
    const { content } = await bench.run(bash, { command });
    expect(content).toEqual([image, { type: 'text', text: 'note' }]);
  });

  test('may be larger than text may be, and the data for people stays small', async () => {
    const large = Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(200_000, 7)]).toString('base64');
    bench.file('large', `data:image/png;base64,${large}\n`);
    const { content, data } = await bench.run(bash, { command: 'cat large' });
    expect(content).toEqual([{ ...image, source: { ...image.source, data: large } }]);
    expect(data).toMatchObject({ isImage: true });
    expect(JSON.stringify(data).length).toBeLessThan(32_000);
  });

  test.each(['data:image/png;base64,AAAA', `data:image/png;base64,${PNG} and more`, 'data:image/svg+xml,<svg/>'])(
    'is not what only looks like one: %s',
    async (text) => {
      bench.file('text', text);
      const { content, data } = await bench.run(bash, { command: 'cat text' });
      expect(content).toBe(text);
      expect(data).toMatchObject({ isImage: false });
    },
  );
});

test('[K36] runs beside others only when the command only reads', () => {
  expect(bash.isConcurrencySafe({ command: 'ls' })).toBe(true);
  expect(bash.isConcurrencySafe({ command: 'rm x' })).toBe(false);
  expect(bash.access({ command: 'rm x' }, bench.context.workspace)).toEqual({ kind: 'execute', command: 'rm x' });
});

test('[K36] eight commands together lose no output', async () => {
  // Each waits until all of them have begun.
  const meeting = 'until [ "$(ls begun-* | wc -l)" = 8 ]; do sleep 0.1; done';
  const commands = [...Array(8).keys()].map((n) => `touch begun-${n}; ${meeting}; echo done-${n}`);
  const results = await Promise.all(commands.map((command) => bench.run(bash, { command })));
  expect(results.map(({ content }) => content)).toEqual([...Array(8).keys()].map((n) => `done-${n}`));
});

test('output of nothing but line breaks is trimmed in no time', async () => {
  const { data } = await bench.run(
    bash,
    { command: `head -c 149000 /dev/zero | tr '\\0' '\\n'; echo x` },
    {
      env: { ...bench.context.env, BASH_MAX_OUTPUT_LENGTH: '150000' },
    },
  );
  expect((data as { stdout: string }).stdout).toHaveLength(149_001);
});
