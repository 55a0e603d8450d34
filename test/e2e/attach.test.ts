import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hang, reply, text, toolUse } from '../../src/testing/index.ts';
import { answer, attachTo, eventually, inBackground, isQuestion, ownersIn } from '../support/attached.ts';
import { CLI, runCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { installCopy } from '../support/installed-copy.ts';
import { makePlace, type Place } from '../support/place.ts';

const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
if (!hasBubblewrap) console.warn('bubblewrap does not run here: whether a sandboxed command can join is not tried');

const WRITE = toolUse('Write', { file_path: 'made', content: 'x' });
const run = (place: Place, ...names: string[]) => join(place.home, 'run', ...names);

function entries({ home }: Place, sessionId: string): Record<string, unknown>[] {
  const folders = readdirSync(join(home, 'projects'));
  const [file] = folders.map((each) => join(home, 'projects', each, `${sessionId}.jsonl`)).filter(existsSync);
  return readFileSync(file ?? '', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const uuids = (lines: readonly Record<string, unknown>[]) => lines.map(({ uuid }) => uuid);

describe('a session without a terminal', () => {
  test('[TUI-70, TUI-71] is joined, left and joined again; no socket is there before', async () => {
    const place = await makePlace(['first answer', 'second answer']);
    const id = await inBackground(place, ['first prompt']);
    expect(readdirSync(run(place))).toEqual([`${id}.json`]);
    const host = await attachTo(place, []);
    expect(statSync(run(place)).mode & 0o777).toBe(0o700);
    expect(statSync(run(place, `${id}.sock`)).mode & 0o777).toBe(0o600);
    await host.until(() => host.stdout.includes('first answer'));
    host.say('second prompt');
    await host.nextResult();
    host.endInput();
    expect(await host.finished).toMatchObject({ code: 0 });
    const again = await attachTo(place, [id.slice(0, 8)]);
    await again.until(() => again.stdout.includes('second answer'));
    expect(await again.control({ subtype: 'end_input' })).toMatchObject({ subtype: 'success' });
    await again.finished;
    await eventually(() => expect(readdirSync(run(place))).toEqual([]));
    await eventually(() => expect(ownersIn(place)).toEqual([]));
  });

  test('[TUI-72] two hosts race for an answer: the first counts, the other is told', async () => {
    const place = await makePlace([WRITE, 'done']);
    const id = await inBackground(place, ['write it']);
    const [one, two] = await Promise.all([attachTo(place, [id]), attachTo(place, [id])]);
    const [first, second] = await Promise.all([one.next(isQuestion), two.next(isQuestion)]);
    expect(first.request_id).toBe(second.request_id);
    answer(one, first, { behavior: 'deny', message: 'one says no' });
    answer(two, second, { behavior: 'allow', updatedInput: { file_path: 'made', content: 'x' } });
    const results = await Promise.all([one.nextResult(), two.nextResult()]);
    const isDenied = results.map(({ permission_denials: denials }) => (denials as unknown[]).length === 1);
    expect(isDenied[0]).toBe(isDenied[1]);
    expect(existsSync(join(place.cwd, 'made'))).toBe(!isDenied[0]);
    const told = (cli: typeof one) => cli.lines.filter(({ subtype }) => subtype === 'question_answered');
    expect(told(one)).toHaveLength(1);
    expect(told(two)).toEqual(told(one));
    const seqs = one.lines.flatMap(({ seq }) => (typeof seq === 'number' ? seq : []));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });

  test('[TUI-72] a host that is killed in the middle of a turn takes nothing with it', async () => {
    const place = await makePlace([WRITE, 'done']);
    const id = await inBackground(place, ['write it']);
    const victim = await attachTo(place, [id]);
    const other = await attachTo(place, [id]);
    await victim.next(isQuestion);
    const question = await other.next(isQuestion);
    victim.kill('SIGKILL');
    await other.next(({ subtype, left }) => subtype === 'hosts_changed' && left !== undefined);
    answer(other, question, { behavior: 'allow', updatedInput: { file_path: 'made', content: 'x' } });
    expect(await other.nextResult()).toMatchObject({ subtype: 'success' });
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  });

  test('[S-1, S-5] killed in the middle of a turn, everything it said is there, and the turn can be continued', async () => {
    const place = await makePlace([
      reply([text('before the kill'), toolUse('Read', { file_path: 'a' })]),
      hang(),
      'after',
    ]);
    writeFileSync(join(place.cwd, 'a'), 'content');
    const id = await inBackground(place, ['read it']);
    const host = await attachTo(place, [id]);
    await host.until(() => host.stdout.includes('tool_result') && place.api.requests.length === 2);
    for (const pid of ownersIn(place)) process.kill(pid, 'SIGKILL');
    const { lines } = await host.finished;
    const said = lines.filter(({ type }) => type === 'assistant' || type === 'user');
    expect(said.length).toBeGreaterThan(1);
    for (const uuid of uuids(said)) expect(uuids(entries(place, id))).toContain(uuid);
    const resumed = await runCli(['-p', '--resume', id, '--continue-turn'], { place });
    expect(resumed).toMatchObject({ code: 0, stdout: 'after\n' });
    expect(JSON.stringify(place.api.requests[2]?.body)).toContain('before the kill');
    // What the killed process has left is removed by the next session.
    await inBackground(place, []);
    expect(readdirSync(run(place)).filter((name) => name.startsWith(id))).toEqual([]);
  });

  test('[TUI-74] nobody attaches: a question becomes a denial, and the result tells when', async () => {
    const place = await makePlace([WRITE, 'done']);
    const id = await inBackground(place, ['write it'], { env: { HEDDLE_UNATTENDED_MS: '1500' } });
    await eventually(() => expect(ownersIn(place)).toEqual([]));
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    expect(JSON.stringify(entries(place, id))).toMatch(/Nobody was there to answer: denied at 20\d\d-.*without a host/);
  });

  test('[TUI-70] an upgrade of the package harms no session without a terminal', async () => {
    const place = await makePlace([
      reply([text('first'), toolUse('Bash', { command: 'echo from the old one' })]),
      'between',
      reply([text('second'), toolUse('Grep', { pattern: 'loom' })]),
      'after the upgrade',
    ]);
    const copy = installCopy(place);
    onTestFinished(() => {
      for (const pid of ownersIn(place)) process.kill(pid, 'SIGKILL');
    });
    const args = ['--bg', '--permission-mode', 'bypassPermissions', 'go'];
    const started = await copy.start(args).finished;
    const id = started.stdout.trim();
    await eventually(() => expect(place.api.requests).toHaveLength(2));
    // The new version: other bundles, in place of those that the session has read.
    for (const name of readdirSync(join(copy.dist, 'bundles'))) {
      writeFileSync(join(copy.dist, 'bundles', name), '/*another*/ throw new Error("not of this version");');
    }
    const [owner = 0] = ownersIn(place);
    const host = await attachTo(place, [id]);
    host.say('look for the loom');
    await host.until(() => host.stdout.includes('after the upgrade'));
    expect(JSON.stringify(place.api.requests.at(-1)?.body)).not.toMatch(/installation|not of this version/);
    await host.control({ subtype: 'end_input' });
    await eventually(() => expect(() => process.kill(owner, 0)).toThrow());
  });

  test('SIGTERM ends it with a result', async () => {
    const place = await makePlace([hang()]);
    const id = await inBackground(place, ['hang']);
    const host = await attachTo(place, [id]);
    await eventually(() => expect(place.api.requests).toHaveLength(1));
    for (const pid of ownersIn(place)) process.kill(pid, 'SIGTERM');
    await host.nextResult();
    await eventually(() => expect(ownersIn(place)).toEqual([]));
  });
});

describe('who cannot join', () => {
  test('[TUI-71] another user cannot, and a command of the session cannot', async () => {
    const place = await makePlace([]);
    const id = await inBackground(place, []);
    const host = await attachTo(place, [id]);
    const socket = run(place, `${id}.sock`);
    expect(existsSync(socket)).toBe(true);
    if (process.getuid?.() !== 0) return; // only root can be somebody else
    const look = `require('net').connect(${JSON.stringify(socket)}).on('connect', () => console.log('in')).on('error', (e) => console.log(e.code))`;
    const stranger = spawnSync(process.execPath, ['-e', look], { uid: 65534, gid: 65534 });
    expect(stranger.stdout.toString()).toBe('EACCES\n');
    expect(host.lines.some(({ joined }) => joined === 'h2')).toBe(false);
  });

  test.skipIf(!hasBubblewrap)('[TUI-71] a command in the sandbox cannot reach the socket', async () => {
    const place = await makePlace();
    const id = await inBackground(place, []);
    const host = await attachTo(place, [id]);
    const socket = run(place, `${id}.sock`);
    expect(existsSync(socket)).toBe(true);
    const look = `require('net').connect(${JSON.stringify(socket)}).on('connect', () => console.log('it is', 'in')).on('error', (e) => console.log('it got', e.code))`;
    const sandbox = { enabled: true, autoAllowBashIfSandboxed: true };
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ sandbox }));
    const command = `${process.execPath} -e ${JSON.stringify(look)}`;
    const other = await makePlace([toolUse('Bash', { command }), 'done']);
    const env = { ...other.env, HEDDLE_HOME: place.home };
    const { code } = await runCli(['-p', 'look'], { place: { ...other, env, cwd: place.cwd } });
    expect(code).toBe(0);
    const result = JSON.stringify(other.api.requests.at(-1)?.body);
    expect(result).toMatch(/it got (ENOENT|EACCES|EPERM|ECONNREFUSED)/);
    expect(result).not.toContain('it is in');
    expect(host.lines.some(({ joined }) => joined === 'h2')).toBe(false);
  });

  test('[TUI-71] a connection without a pass gets nothing', async () => {
    const place = await makePlace([]);
    const id = await inBackground(place, []);
    await attachTo(place, [id]);
    const line = JSON.stringify({ type: 'control_request', request_id: 'x', request: { subtype: 'attach' } });
    const code = `const s = require('net').connect(${JSON.stringify(run(place, `${id}.sock`))}); s.write(${JSON.stringify(`${line}\n`)}); s.on('data', (d) => { console.log(String(d)); s.end(); })`;
    const { stdout } = spawnSync(process.execPath, ['-e', code]);
    expect(stdout.toString()).toContain('not_admitted');
  });

  test('a command of the session itself is refused', async () => {
    const place = await makePlace([
      toolUse('Bash', { command: `${process.execPath} ${CLI} attach --stdio </dev/null` }),
      'done',
    ]);
    const id = await inBackground(place, ['--permission-mode', 'bypassPermissions', 'join yourself']);
    await eventually(() =>
      expect(JSON.stringify(entries(place, id))).toContain('A command of the session itself cannot join it'),
    );
  });

  test('[TUI-71] `never` lets nobody in', async () => {
    const place = await makePlace([]);
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ terminal: { attach: 'never' } }));
    const id = await inBackground(place, []);
    const { code, stderr } = await runCli(['attach', '--stdio', id], { place });
    expect(code).toBe(1);
    expect(stderr).toContain('Its settings let nobody join');
    expect(existsSync(run(place, `${id}.sock`))).toBe(false);
  });

  test('a project cannot open sessions', async () => {
    const place = await makePlace([]);
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ terminal: { attach: 'never' } }));
    mkdirSync(join(place.cwd, '.claude'));
    writeFileSync(join(place.cwd, '.claude', 'settings.json'), JSON.stringify({ terminal: { attach: 'own' } }));
    const id = await inBackground(place, ['--trust']);
    expect((await runCli(['attach', '--stdio', id], { place })).stderr).toContain('Its settings let nobody join');
  });
});

describe('what is said', () => {
  test('where nothing runs, and where several sessions run', async () => {
    const place = await makePlace(['x']);
    expect((await runCli(['attach', '--stdio'], { place })).stderr).toContain('No session runs that can be joined');
    const { stdout } = await runCli(['-p', '--output-format', 'json', 'hello'], { place });
    const { session_id: done } = JSON.parse(stdout);
    const stopped = await runCli(['attach', '--stdio', done], { place });
    expect(stopped.stderr).toContain(`No process runs it: heddle -r ${done.slice(0, 8)} continues it`);
    const ids = [await inBackground(place, []), await inBackground(place, [])];
    const several = await runCli(['attach', '--stdio'], { place });
    expect(several.code).toBe(1);
    for (const id of ids) expect(several.stderr).toContain(`heddle attach ${id.slice(0, 8)}   idle  ${place.cwd}`);
  });

  test('`sessions list --running` shows state, owner and since when', async () => {
    const place = await makePlace([WRITE]);
    const id = await inBackground(place, ['write it']);
    await eventually(async () => {
      const { stdout } = await runCli(['sessions', 'list', '--running', '--json'], { place });
      const [pid] = ownersIn(place);
      expect(JSON.parse(stdout)).toMatchObject([{ sessionId: id, state: 'asking', pid, cwd: place.cwd }]);
    });
    const { stdout } = await runCli(['sessions', 'list', '--running'], { place });
    expect(stdout).toContain(id);
    expect(stdout).toContain('waits for an answer');
  });

  test('another version that talks in another way is refused, and goes on', async () => {
    const place = await makePlace(['fine']);
    const id = await inBackground(place, []);
    const file = run(place, `${id}.json`);
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), attach_version: 99, heddle_version: '9.9.9' }),
    );
    const { stderr, code } = await runCli(['attach', '--stdio', id], { place });
    expect(code).toBe(1);
    expect(stderr).toContain('It runs version 9.9.9 of Heddle');
    expect(ownersIn(place)).toHaveLength(1);
  });

  test('[TUI-73] a session of another program is watched from its file, and not joined', async () => {
    const place = await makePlace(['said before', 'said later']);
    const program = startCli(STREAM_BOTH, { place });
    program.say('first');
    const { session_id: id } = await program.nextResult();
    const refused = await runCli(['attach', '--stdio', String(id)], { place });
    expect(refused.stderr).toContain('a program that lets nobody in: heddle attach --watch');
    const watcher = await attachTo(place, ['--watch', String(id)]);
    await watcher.until(() => watcher.stdout.includes('said before'));
    program.say('second');
    await program.nextResult();
    await watcher.until(() => watcher.stdout.includes('said later'));
    watcher.say('a prompt');
    await watcher.next(({ subtype }) => subtype === 'input_error');
    watcher.endInput();
    expect(await watcher.finished).toMatchObject({ code: 0 });
    program.endInput();
    await program.finished;
    expect(place.api.requests).toHaveLength(2);
  });

  test('over ssh: the same, through `heddle attach --stdio` there', async () => {
    const place = await makePlace([]);
    const id = await inBackground(place, []);
    const bin = join(place.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ssh'), '#!/bin/sh\nshift 2\necho "$1" > "$HOME/host"\nshift\nexec sh -c "$*"\n');
    writeFileSync(join(bin, 'heddle'), `#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`);
    for (const name of ['ssh', 'heddle']) chmodSync(join(bin, name), 0o755);
    const host = await attachTo(place, [`far.example.org:${id.slice(0, 8)}`], {
      env: { PATH: `${bin}:${place.env.PATH}` },
    });
    expect(await host.control({ subtype: 'get_usage' })).toMatchObject({ subtype: 'success' });
    expect(readFileSync(join(place.root, 'home', 'host'), 'utf8')).toBe('far.example.org\n');
    host.endInput();
    expect(await host.finished).toMatchObject({ code: 0 });
  });
});
