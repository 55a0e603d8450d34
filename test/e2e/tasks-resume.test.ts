import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { changeRecord, recordsOf, timesTold } from '../support/background.ts';
import { runCli, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';

const ALLOWED = ['--allowedTools', 'Bash'];
const inBackground = (command: string) => toolUse('Bash', { command, run_in_background: true });
const ask = (place: Place, prompt: string, ...flags: string[]) =>
  runCli([...STREAM_OUT, prompt, ...ALLOWED, ...flags], { place });

/** Runs until the only task has this status on disk, with the second model call unanswered; then kill -9. */
async function killedWhen(status: string, command: string) {
  const place = await makePlace((_request, index) => [inBackground(command), hang()][index] ?? 'seen');
  const sessionId = randomUUID();
  const cli = startCli([...STREAM_OUT, 'go', ...ALLOWED, '--session-id', sessionId], { place });
  const dir = join(place.home, 'background', sessionId);
  await eventually(() => place.api.requests.length === 2);
  const isThere = (record: JsonObject) => record.status === status && record.process !== null;
  await eventually(() => existsSync(dir) && recordsOf(place, sessionId).some(isThere));
  const [record = {}] = recordsOf(place, sessionId);
  cli.kill('SIGKILL');
  await cli.finished;
  return { place, sessionId, record, taskId: String(record.task_id) };
}

describe('[BG-03] what a killed process has left is told once, with the next prompt', () => {
  test('a command that ran is killed with it, and its record says so', async () => {
    const { place, sessionId, record, taskId } = await killedWhen('running', 'sleep 600');
    expect(record).toMatchObject({ task_type: 'local_bash', command: 'sleep 600', detached: false, told: false });
    await eventually(() => !isAlive((record.process as { pid: number }).pid));
    const { lines } = await ask(place, 'and now?', '--resume', sessionId);
    expect(timesTold(place.api.requests[2], taskId)).toBe(1);
    expect(conversationText(place.api.requests[2])).toMatch(/was stopped: The process that ran it has ended/);
    expect(lines.map(kindOf)).toEqual([
      'system/init',
      'system/resume_report',
      'system/task_notification',
      'assistant',
      'result/success',
    ]);
    expect(lines[2]).toMatchObject({ status: 'stopped', reason: 'worker_restart' });
    expect(recordsOf(place, sessionId)).toEqual([expect.objectContaining({ status: 'killed', told: true })]);
    const again = await ask(place, 'and then?', '--resume', sessionId);
    expect(again.lines.map(kindOf)).not.toContain('system/task_notification');
    expect(timesTold(place.api.requests[3], taskId)).toBe(1);
  });

  test('a command that had ended is told with its exit code', async () => {
    const { place, sessionId, taskId } = await killedWhen('failed', 'echo it; exit 3');
    await ask(place, 'and now?', '--resume', sessionId);
    expect(timesTold(place.api.requests[2], taskId)).toBe(1);
    expect(conversationText(place.api.requests[2])).toMatch(/failed with exit code 3/);
  });

  test('killed between the entry and its note: not told again; before the entry: told', async () => {
    const place = await makePlace((_request, index) => [inBackground('true')][index] ?? 'seen');
    const { lines } = await ask(place, 'go');
    const sessionId = String(lines.at(-1)?.session_id);
    const [record = {}] = recordsOf(place, sessionId);
    expect(record).toMatchObject({ status: 'completed', told: true, told_with: expect.any(String) });
    changeRecord(place, record, { told: false });
    await ask(place, 'and now?', '--resume', sessionId);
    expect(timesTold(place.api.requests.at(-1), String(record.task_id))).toBe(1);
    expect(recordsOf(place, sessionId)[0]).toMatchObject({ told: true });
    changeRecord(place, record, { told: false, told_with: randomUUID() });
    await ask(place, 'and then?', '--resume', sessionId);
    expect(timesTold(place.api.requests.at(-1), String(record.task_id))).toBe(2); // as if the entry had never been
  });

  test.each([20, 60, 100, 140, 180, 240])('killed %i ms after the start of a short command', async (ms) => {
    const place = await makePlace((_request, index) => [inBackground('sleep 0.1')][index] ?? 'seen');
    const sessionId = randomUUID();
    const cli = startCli([...STREAM_OUT, 'go', ...ALLOWED, '--session-id', sessionId], { place });
    const timer = await eventually(() => existsSync(join(place.home, 'background', sessionId))).then(() =>
      setTimeout(() => cli.kill('SIGKILL'), ms),
    );
    await cli.finished;
    clearTimeout(timer);
    await ask(place, 'and now?', '--resume', sessionId);
    const [record] = recordsOf(place, sessionId);
    const last = place.api.requests.at(-1);
    // Whatever the model knows of has a record.
    if (!record) expect(conversationText(last)).not.toMatch(/runs in the background/);
    else expect([record.told, timesTold(last, String(record.task_id))]).toEqual([true, 1]);
  });
});

test('[G8] records are for nobody else; a session without tasks has none, one that is not kept neither', async () => {
  const place = await makePlace((_request, index) => [inBackground('true'), 'a', 'b', 'none'][index] ?? 'c');
  const { lines } = await ask(place, 'go');
  const dir = join(place.home, 'background', String(lines.at(-1)?.session_id));
  const [record = {}] = recordsOf(place, String(lines.at(-1)?.session_id));
  expect([dir, join(dir, `${record.task_id}.json`)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  const other = await ask(place, 'only talk');
  expect(existsSync(join(place.home, 'background', String(other.lines.at(-1)?.session_id)))).toBe(false);
  const unkept = await makePlace((_request, index) => [inBackground('true')][index] ?? 'a');
  await ask(unkept, 'go', '--no-session-persistence');
  expect(existsSync(join(unkept.home, 'background'))).toBe(false);
});
