import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, text, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type Finished, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { seededRandom } from '../support/fuzz.ts';
import { killPoints, PHASES } from '../support/kill-points.ts';
import { killAndResume, sweepScript } from '../support/kill-sweep.ts';
import { isResult, kindOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText, isPrefix } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const UNKNOWN = '99999999-9999-4999-8999-999999999999';
const bash = (command: string) => toolUse('Bash', { command });

async function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished & { sessionId: string }> {
  const run = await runCli([...STREAM_OUT, prompt, '--allowedTools', 'Bash', ...flags], { place });
  return { ...run, sessionId: String(run.lines.at(-1)?.session_id) };
}

function bodies(place: Place) {
  return place.api.requests.map(bodyOf);
}

describe('kill -9', () => {
  test.each(killPoints(PHASES.length, seededRandom(7)))(
    '[S-1, S-2, S-5] $phase: nothing that was said is lost',
    async (point) => {
      expect((await killAndResume(await makePlace(sweepScript()), point)).faults).toEqual([]);
    },
  );

  test('[S-3, S-6, S-9] a last line that was cut: what is whole comes back, and nothing is glued to it', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'first');
    await ask(place, 'second', '--resume', sessionId);
    const file = sessionFile(place, sessionId);
    truncateSync(file, statSync(file).size - 40);
    const { code, stderr } = await ask(place, 'third', '--resume', sessionId);
    expect(code).toBe(0);
    expect(stderr).toMatch(/damaged/);
    expect(apiFaults(bodyOf(place.api.requests[2]))).toEqual([]);
    expect(conversationText(place.api.requests[2])).toMatch(/first[\s\S]*second[\s\S]*third/);
    const again = await ask(place, 'fourth', '--resume', sessionId);
    expect(again.code).toBe(0);
    expect(conversationText(place.api.requests[3])).toMatch(/first[\s\S]*second[\s\S]*third[\s\S]*ok[\s\S]*fourth/);
  });
});

describe('resuming', () => {
  test('[SES-39, SEQ-07, FLG-20] keeps the session id and the conversation', async () => {
    const place = await makePlace(['I will remember.', 'It was 42.']);
    const first = await ask(place, 'remember 42');
    const second = await ask(place, 'what was it?', '--resume', first.sessionId);
    expect(second.lines.map(({ session_id }) => session_id)).toEqual(Array(3).fill(first.sessionId));
    expect(second.lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(conversationText(place.api.requests[1])).toMatch(/remember 42[\s\S]*I will remember[\s\S]*what was it/);
  });

  test('each request is a prefix of the next, also across resumes, errors and interrupts', async () => {
    const place = await makePlace([
      [text('Look:'), bash('echo one'), bash('echo two')],
      'First answer.',
      fail(400, 'invalid_request_error', 'no'),
      'Third answer.',
      bash('sleep 600'),
      'Fifth answer.',
      'Sixth answer.',
    ]);
    const { sessionId } = await ask(place, 'first');
    await ask(place, 'second', '--resume', sessionId);
    await ask(place, 'third', '--resume', sessionId);
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash', '--resume', sessionId], { place });
    cli.say('fourth');
    await cli.next(({ type }) => type === 'assistant');
    await cli.control({ subtype: 'interrupt' });
    await cli.nextResult();
    cli.say('fifth');
    await cli.nextResult();
    cli.endInput();
    await cli.finished;
    await ask(place, 'sixth', '--resume', sessionId);
    const sent = bodies(place);
    expect(sent.length).toBe(7);
    expect(sent.map((body, at) => at === 0 || isPrefix(sent[at - 1] ?? body, body))).toEqual(Array(7).fill(true));
    expect(sent.flatMap((body) => apiFaults(body))).toEqual([]);
  });

  test('[FLG-19, OPT-08] --continue takes the newest session of the directory', async () => {
    const place = await makePlace(() => 'ok');
    const other = join(place.root, 'elsewhere');
    mkdirSync(other);
    const older = await ask(place, 'older');
    const newer = await ask(place, 'newer');
    await ask(place, 'older again', '--resume', older.sessionId);
    await runCli([...STREAM_OUT, 'in another directory'], { place, cwd: other });
    const { sessionId } = await ask(place, 'and?', '--continue');
    expect(sessionId).toBe(older.sessionId);
    expect(sessionId).not.toBe(newer.sessionId);
    expect(conversationText(place.api.requests.at(-1))).toMatch(/older[\s\S]*older again[\s\S]*and\?/);
  });

  test('[OPT-28] --resume-session-at leaves out what came later, and it stays on disk', async () => {
    const place = await makePlace(() => 'ok');
    const first = await ask(place, 'first');
    await ask(place, 'second', '--resume', first.sessionId);
    const at = String(first.lines.find(({ type }) => type === 'assistant')?.uuid);
    await ask(place, 'instead', '--resume', first.sessionId, '--resume-session-at', at);
    const told = conversationText(place.api.requests[2]);
    expect(told).toMatch(/first[\s\S]*instead/);
    expect(told).not.toContain('second');
    expect(JSON.stringify(readEntries(sessionFile(place, first.sessionId)))).toContain('second');
  });

  test('an unknown session: a lone result in stream-json and json', async () => {
    const place = await makePlace();
    const { code, lines } = await ask(place, 'hi', '--resume', UNKNOWN);
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { type: 'result', is_error: true, errors: [`No conversation found with session ID: ${UNKNOWN}`] },
    ]);
    const json = await runCli(['-p', 'hi', '--output-format', 'json', '--resume', UNKNOWN], { place });
    expect(JSON.parse(json.stdout)).toMatchObject({ type: 'result', is_error: true, num_turns: 0 });
    expect(place.api.requests.length).toBe(0);
  });

  test('[OUT-15] an unknown session: one line on stderr in text', async () => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli(['-p', 'hi', '--resume', UNKNOWN], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `No conversation found with session ID: ${UNKNOWN}\n` +
        'heddle: see which sessions there are: heddle sessions list --all\n',
    );
  });
});

describe('files', () => {
  test('[R-17, G8] everything under the config home is private, whatever the umask', async () => {
    const place = await makePlace([bash('seq 1 40000'), 'ok']);
    const before = process.umask(0);
    const run = ask(place, 'much output');
    process.umask(before);
    expect((await run).code).toBe(0);
    const names = ['.', ...readdirSync(place.home, { recursive: true, encoding: 'utf8' })];
    expect(names.some((name) => name.startsWith('tool-results/'))).toBe(true);
    const open = names.filter((name) => (statSync(join(place.home, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  test('[R-16] the key is in none of them', async () => {
    const place = await makePlace([fail(401, 'authentication_error', 'bad key key-of-the-test')]);
    const { stdout, stderr } = await ask(place, 'hi', '--debug');
    expect(stdout + stderr).not.toContain('key-of-the-test');
    const names = readdirSync(place.home, { recursive: true, encoding: 'utf8' }).map((name) => join(place.home, name));
    const texts = names.filter((name) => statSync(name).isFile()).map((name) => readFileSync(name, 'utf8'));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((content) => content.includes('key-of-the-test'))).toEqual([]);
  });

  test('[S-22, S-4] two runs on one session at a time: no line is torn, nothing that was said is lost', async () => {
    const place = await makePlace(() => 'ok');
    const { sessionId } = await ask(place, 'first');
    const runs = await Promise.all(['a', 'b', 'c'].map((name) => ask(place, name, '--resume', sessionId)));
    const stored = new Set(readEntries(sessionFile(place, sessionId)).map(({ uuid }) => uuid));
    const said = runs.flatMap(({ lines }) => lines.filter((line) => line.type === 'assistant' && !isResult(line)));
    expect(said.length).toBe(3);
    expect(said.filter(({ uuid }) => !stored.has(uuid))).toEqual([]);
  });
});
