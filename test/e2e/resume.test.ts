import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang } from '../../src/testing/index.ts';
import { type Finished, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { isResult, kindOf, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';

async function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished & { sessionId: string }> {
  const run = await runCli([...STREAM_OUT, prompt, ...flags], { place });
  return { ...run, sessionId: String(run.lines.at(-1)?.session_id) };
}

function lastRequest(place: Place): string {
  return conversationText(place.api.requests.at(-1));
}

describe('a session is found', () => {
  test('by its id, from any directory, and goes on in the same file', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'first');
    const file = sessionFile(place, sessionId);
    const elsewhere = join(place.cwd, '..', 'elsewhere');
    mkdirSync(elsewhere);
    const args = [...STREAM_OUT, 'second', '--resume', sessionId];
    const run = await runCli(args, { place, cwd: elsewhere });
    expect([run.code, run.lines.at(-1)?.session_id]).toEqual([0, sessionId]);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
    const prompts = readEntries(file).filter(({ type, message }) => type === 'user' && message);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]?.cwd).not.toBe(prompts[0]?.cwd);
  });

  test('when its directory is gone', async () => {
    const place = await makePlace(() => 'ok');
    const gone = join(place.cwd, 'gone');
    mkdirSync(gone);
    const first = await runCli([...STREAM_OUT, 'first'], { place, cwd: gone });
    rmSync(gone, { recursive: true });
    const { code } = await ask(place, 'second', '--resume', String(first.lines.at(-1)?.session_id));
    expect(code).toBe(0);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
  });

  test('by the start of its id, and by its title', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'first', '--name', 'Weaving a rug');
    const byPrefix = await ask(place, 'second', '--resume', sessionId.slice(0, 8));
    expect([byPrefix.code, byPrefix.sessionId]).toEqual([0, sessionId]);
    const byTitle = await ask(place, 'third', '--resume', 'weaving a rug');
    expect([byTitle.code, byTitle.sessionId]).toEqual([0, sessionId]);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second[\s\S]*third/);
  });

  test('as a file, wherever it lies: a new session, and the file is not touched', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'first');
    const file = join(place.cwd, 'saved.jsonl');
    renameSync(sessionFile(place, sessionId), file);
    const before = readFileSync(file, 'utf8');
    const run = await ask(place, 'second', '--resume', './saved.jsonl');
    expect(run.code).toBe(0);
    expect(run.sessionId).not.toBe(sessionId);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const again = await ask(place, 'third', '--resume', run.sessionId);
    expect(again.code).toBe(0);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second[\s\S]*third/);
  });
});

describe('a session that is not there', () => {
  test.each([UNKNOWN, 'no such title', 'deadbeef'])('%s: an error at once that says so, exit 1', async (name) => {
    const place = await makePlace(() => 'ok');
    const run = await ask(place, 'hello', '--resume', name);
    expect(run.code).toBe(1);
    expect(run.stdout + run.stderr).toContain(name);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(place.api.requests).toHaveLength(0);
  });

  test('--on-missing fresh starts anew under the same id, and says so', async () => {
    const place = await makePlace(() => 'ok');
    const run = await ask(place, 'hello', '--resume', UNKNOWN, '--on-missing', 'fresh');
    expect([run.code, run.sessionId]).toEqual([0, UNKNOWN]);
    expect(run.lines.map(kindOf)).toEqual(['system/init', 'system/resume_report', 'assistant', 'result/success']);
    expect(run.lines[1]).toMatchObject({ leaf_uuid: null, restored: 0 });
    expect(JSON.stringify(run.lines[1])).toContain(UNKNOWN);
    const next = await ask(place, 'again', '--resume', UNKNOWN, '--on-missing', 'fresh');
    expect(next.lines.map(kindOf)).not.toContain('system/resume_report');
    expect(lastRequest(place)).toMatch(/hello[\s\S]*again/);
  });
});

describe('--replay-history', () => {
  test('prints the stored messages of the active branch after init, with their uuids', async () => {
    const place = await makePlace(() => 'ok');
    const first = await ask(place, 'first');
    await ask(place, 'second', '--resume', first.sessionId);
    const stored = readEntries(sessionFile(place, first.sessionId));
    const run = await ask(place, 'third', '--resume', first.sessionId, '--replay-history');
    expect(run.lines.map(kindOf)).toEqual([
      ...['system/init', 'user', 'assistant', 'user', 'assistant'],
      ...['assistant', 'result/success'],
    ]);
    const messages = stored.filter(({ type }) => type === 'user' || type === 'assistant');
    expect(run.lines.slice(1, 5).map(({ uuid }) => uuid)).toEqual(messages.map(({ uuid }) => uuid));
    const replayed = run.lines.filter(({ type }) => type === 'user') as (Line & { isReplay?: boolean })[];
    expect(replayed.map(({ isReplay }) => isReplay)).toEqual([true, true]);
  });
});

describe('[S-23] one writer', () => {
  async function holder(place: Place) {
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('first');
    const result = await cli.next(isResult);
    return { cli, sessionId: String(result.session_id) };
  }

  test('a second one is refused, and told who it is', async () => {
    const place = await makePlace(() => 'ok');
    const { cli, sessionId } = await holder(place);
    const run = await ask(place, 'second', '--resume', sessionId);
    expect(run.code).toBe(1);
    expect(run.stdout + run.stderr).toContain(String(cli.pid));
    expect(run.lines.at(-1)).toMatchObject({ is_error: true, error_code: 'session_busy' });
    expect(place.api.requests).toHaveLength(1);
  });

  test('--on-busy fork goes on in a fork', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await holder(place);
    const before = readFileSync(sessionFile(place, sessionId), 'utf8');
    const run = await ask(place, 'second', '--resume', sessionId, '--on-busy', 'fork');
    expect(run.code).toBe(0);
    expect(run.sessionId).not.toBe(sessionId);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
    expect(readFileSync(sessionFile(place, sessionId), 'utf8')).toBe(before);
  });

  test('--on-busy wait goes on when the other has ended, and can be ended while it waits', async () => {
    const place = await makePlace(() => 'ok');
    const { cli, sessionId } = await holder(place);
    const waiting = startCli([...STREAM_OUT, 'second', '--resume', sessionId, '--on-busy', 'wait'], { place });
    const given = startCli([...STREAM_OUT, 'third', '--resume', sessionId, '--on-busy', 'wait'], { place });
    for (const each of [waiting, given]) await each.until(() => /waiting/i.test(each.stderr));
    given.kill('SIGTERM');
    expect((await given.finished).code).toBe(143);
    cli.endInput();
    expect((await waiting.finished).code).toBe(0);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
  });

  test('one that was killed has let go', async () => {
    const place = await makePlace(() => 'ok');
    const { cli, sessionId } = await holder(place);
    cli.kill('SIGKILL');
    await cli.finished;
    const run = await ask(place, 'second', '--resume', sessionId);
    expect(run.code).toBe(0);
    expect(lastRequest(place)).toMatch(/first[\s\S]*second/);
  });

  test('who resumes as soon as the result is there need not wait for the process to end', async () => {
    const place = await makePlace((request) => (conversationText(request).includes('never') ? hang() : 'ok'));
    const first = startCli([...STREAM_OUT, 'first'], { place });
    const result = await first.next(isResult);
    const run = await ask(place, 'second', '--resume', String(result.session_id));
    expect(run.code).toBe(0);
  });
});

test('[S-26] a fork leaves its source as it is, byte for byte', async () => {
  const place = await makePlace(() => 'ok');
  const { sessionId } = await ask(place, 'first');
  const copy = join(place.cwd, 'copy.jsonl');
  copyFileSync(sessionFile(place, sessionId), copy);
  const fork = await ask(place, 'second', '--resume', sessionId, '--fork-session');
  expect(fork.code).toBe(0);
  expect(readFileSync(sessionFile(place, sessionId))).toEqual(readFileSync(copy));
});
