import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang } from '../../src/testing/index.ts';
import { STREAM_OUT, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { ask, branched, ID, json, put, SEED, said, sessions } from '../support/session-commands.ts';
import { sessionFile, sessionFiles } from '../support/session-files.ts';

describe('archive and unarchive', () => {
  test('[B-099] a list leaves archived sessions out unless it is asked for them; a prompt brings one back', async () => {
    const place = await makePlace(() => 'ok');
    const [one, two] = [await ask(place, 'number one'), await ask(place, 'number two')].map((run) => run.sessionId);
    const listed = async (...flags: string[]) => {
      const found: { sessionId: string; archived?: boolean }[] = await json(place, 'list', ...flags);
      return found.map(({ sessionId, archived }) => [sessionId, archived]);
    };
    expect(await sessions(place, 'archive', String(one))).toMatchObject({ code: 0, stdout: `${one} is archived\n` });
    expect(await listed()).toEqual([[two, undefined]]);
    expect(await listed('--archived')).toEqual([
      [two, undefined],
      [one, true],
    ]);
    expect((await sessions(place, 'list', '--archived')).stdout).toMatch(/archived {2}number one/);
    await sessions(place, 'archive', String(two));
    const none = await sessions(place, 'list');
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toContain('--archived lists them');
    expect((await sessions(place, 'search', 'number one')).stdout).toContain(one);

    await ask(place, 'once more', '--resume', String(one));
    expect(await listed()).toEqual([[one, false]]);
    const undone = await sessions(place, 'unarchive', String(two), String(one));
    expect(undone.stdout).toBe(`${two} is not archived\n${one} is not archived\n`);
    expect(await listed()).toEqual([
      [one, false],
      [two, false],
    ]);
  });

  test('a name that is wrong changes nothing', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'hello');
    expect((await sessions(place, 'archive', sessionId, 'nobody')).code).toBe(1);
    expect(await sessions(place, 'archive')).toMatchObject({ code: 1, stderr: expect.stringContaining('SESSION') });
    expect((await json(place, 'list'))[0]).not.toHaveProperty('archived');
  });
});

describe('switch', () => {
  test('[SES-41, K21] the next turn continues on the chosen branch, and nothing is lost', async () => {
    const { place, sessionId, file } = await branched();
    const before = readFileSync(file, 'utf8');
    const { leaves } = await json(place, 'tree', sessionId);
    const { code, stdout } = await sessions(place, 'switch', sessionId, leaves[0].slice(0, 10));
    expect([code, stdout]).toEqual([0, `The session goes on from ${leaves[0]}\n`]);
    const [entry, ...more] = readFileSync(file, 'utf8').slice(before.length).trimEnd().split('\n');
    expect(more).toEqual([]);
    expect(JSON.parse(entry ?? '')).toEqual({
      type: 'last-prompt',
      lastPrompt: 'to Rome',
      leafUuid: leaves[0],
      sessionId,
    });
    expect((await json(place, 'tree', sessionId)).leaf_uuid).toBe(leaves[0]);
    expect((await sessions(place, 'tree', sessionId)).stdout).toMatch(/^to Rome /);

    await ask(place, 'and then?', '--resume', sessionId);
    const sent = conversationText(place.api.requests.at(-1));
    expect(sent).toMatch(/plan a trip[\s\S]*to Rome[\s\S]*and then/);
    expect(sent).not.toContain('Oslo');
  });

  test('twice is once', async () => {
    const { place, sessionId, file } = await branched();
    const { leaf_uuid } = await json(place, 'tree', sessionId);
    const before = readFileSync(file, 'utf8');
    expect((await sessions(place, 'switch', sessionId, leaf_uuid)).stdout).toContain('already');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('refuses what is not there, and lists the leaves', async () => {
    const place = await makePlace();
    const file = put(place, ID, SEED);
    for (const name of ['m9', 'm']) {
      const { code, stderr } = await sessions(place, 'switch', ID, name);
      expect([code, stderr]).toEqual([1, expect.stringContaining('Its branches end in: m4, m6')]);
    }
    expect(readFileSync(file, 'utf8')).toBe(SEED);
  });
});

describe('rename, tag, fork', () => {
  test('[SES-07, SES-08, SES-35] the last title and the last tag count; "" takes the tag away', async () => {
    const { place, sessionId } = await branched();
    for (const title of ['One', 'Two']) await sessions(place, 'rename', sessionId, title);
    for (const tag of ['a', 'b']) await sessions(place, 'tag', 'Two', tag);
    expect((await json(place, 'list'))[0]).toMatchObject({ customTitle: 'Two', tag: 'b' });
    expect((await sessions(place, 'list')).stdout).toContain('  #b  ');
    await sessions(place, 'tag', 'Two', '#c');
    expect((await sessions(place, 'list')).stdout).toContain('  #c  ');
    expect((await sessions(place, 'tag', 'two', '')).stdout).toContain('no tag');
    expect((await json(place, 'list'))[0]).not.toHaveProperty('tag');
    expect(await sessions(place, 'rename', sessionId, ' ')).toMatchObject({ code: 1, stdout: '' });
  });

  test('[K30, S-26] a fork of a branch; the source is byte-identical', async () => {
    const { place, sessionId, file } = await branched();
    const before = readFileSync(file);
    const { leaves } = await json(place, 'tree', sessionId);
    const { code, stdout } = await sessions(place, 'fork', sessionId, '--at', leaves[0], '--title', 'By train');
    expect(code).toBe(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    const forked = (await sessions(place, 'show', 'By train')).stdout;
    expect(forked).toMatch(/plan a trip[\s\S]*to Rome/);
    expect(forked).not.toContain('Oslo');
    await ask(place, 'more', '--resume', stdout.trim());
    expect(conversationText(place.api.requests.at(-1))).toMatch(/to Rome[\s\S]*more/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('delete', () => {
  test('[G9] to the trash, with what lies beside it; it says where', async () => {
    const { place, sessionId, file } = await branched();
    const bytes = readFileSync(file);
    const folder = join(file.replace('.jsonl', ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-a.jsonl'), 'x');
    const { code, stdout } = await sessions(place, 'delete', sessionId);
    const movedTo = stdout.trimEnd().split(': ')[1] ?? '';
    expect([code, dirname(movedTo)]).toEqual([0, join(place.home, 'trash', 'sessions')]);
    expect(readFileSync(join(movedTo, basename(file))).equals(bytes)).toBe(true);
    expect(existsSync(join(movedTo, sessionId, 'subagents', 'agent-a.jsonl'))).toBe(true);
    expect(sessionFiles(place)).toEqual([]);
    expect((await sessions(place, 'list')).stdout).toBe('');
  });

  test('not while another process has it in use', async () => {
    const place = await makePlace(['ok', hang()]);
    const { sessionId } = await ask(place, 'one');
    const file = sessionFile(place, sessionId);
    const running = startCli([...STREAM_OUT, 'two', '--resume', sessionId], { place });
    await running.next(({ type }) => type === 'system');
    for (const args of [
      ['delete', sessionId],
      ['switch', sessionId, 'aaaa'],
      ['fsck', '--repair', sessionId],
    ]) {
      const { code, stdout, stderr } = await sessions(place, ...args);
      expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(`in use by process ${running.pid}`)]);
    }
    expect(existsSync(file)).toBe(true);
    running.kill('SIGKILL');
    await running.finished;
    expect((await sessions(place, 'delete', sessionId)).code).toBe(0);
  });

  test('a name that is not there: nothing goes', async () => {
    const { place, sessionId } = await branched();
    expect(await sessions(place, 'delete', sessionId, 'nobody')).toMatchObject({ code: 1, stdout: '' });
    expect(sessionFiles(place)).toHaveLength(1);
  });
});

describe('fsck', () => {
  test('[K15] finds damage with its lines, and changes nothing', async () => {
    const { place, sessionId, file } = await branched();
    expect(await sessions(place, 'fsck')).toMatchObject({ code: 0, stdout: '1 file checked, nothing is wrong\n' });
    appendFileSync(file, `garbage\n{"type":"user","torn`);
    const lines = readFileSync(file, 'utf8').split('\n').length;
    const bytes = readFileSync(file);
    const { code, stdout } = await sessions(place, 'fsck', sessionId);
    expect(code).toBe(1);
    expect(stdout).toContain(`${file}\n  ✗ line ${lines - 1}: not JSON (7 bytes)\n  ✗ line ${lines}: torn`);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test('[K15, S-15] repairs after a backup: good lines byte for byte, unknown entries kept', async () => {
    const place = await makePlace(() => 'ok');
    const unknown = '{ "type":"of-tomorrow" ,"n":1.0}';
    const good = [said('m1', null, 'one'), `${unknown}\n`, said('m2', 'm1', 'two')];
    const damaged = `${good[0]}trash\n${good[1]}${good[0]}${good[2]}{"half`;
    const file = put(place, ID, damaged);
    chmodSync(file, 0o600);
    const { mtimeMs } = statSync(file);
    const { code, stdout } = await sessions(place, 'fsck', '--repair', ID);
    expect(code).toBe(0);
    expect(stdout).toContain('  ✓ line 2: dropped 5 bytes: not JSON\n');
    expect(stdout).toContain('  ✓ line 4: dropped user m1: stored before (the same again)\n');
    expect(readFileSync(file, 'utf8')).toBe(good.join(''));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).mtimeMs).toBeCloseTo(mtimeMs, 0);
    const [, backup] = readdirSync(dirname(file)).sort();
    expect(backup).toMatch(/^11111111-.*\.jsonl\.bak-\d{8}T\d{9}Z$/);
    expect(readFileSync(join(dirname(file), String(backup)), 'utf8')).toBe(damaged);

    expect(await sessions(place, 'fsck', '--all')).toMatchObject({ code: 0 });
    expect(await json(place, 'list')).toHaveLength(1);
    expect((await ask(place, 'three', '--resume', ID)).stderr).toBe('');
    expect(conversationText(place.api.requests.at(-1))).toMatch(/one[\s\S]*two[\s\S]*three/);
    expect(readFileSync(file, 'utf8')).toContain(unknown);
  });

  test('entries of a shape that they should not have are told, and stay', async () => {
    const place = await makePlace();
    const file = put(place, ID, `${said('m1', null, 'x')}{"type":"tag","tag":7,"sessionId":"${ID}"}\n`);
    const before = readFileSync(file, 'utf8');
    const { code, stdout } = await sessions(place, 'fsck', '--repair', ID);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ line 2: .*tag/)]);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(dirname(file))).toHaveLength(1);
  });

  test('what cannot be read is an error, not silence', async () => {
    const place = await makePlace();
    const file = put(place, ID, '');
    const other = join(dirname(file), `${ID.replace('1', '2')}.jsonl`);
    symlinkSync('/dev/null', other);
    writeFileSync(join(place.root, 'x'), '');
    expect(await sessions(place, 'show', other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a regular file'),
    });
  });
});
