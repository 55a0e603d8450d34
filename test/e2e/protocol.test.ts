import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { fuzzProtocol } from '../support/fuzz-run.ts';
import { interrupt } from '../support/interrupts.ts';
import { sendInPieces } from '../support/line-pieces.ts';
import { kindOf, toolResult } from '../support/lines.ts';
import { ODD_LINES } from '../support/odd-lines.ts';
import { sendOddLines } from '../support/odd-lines-run.ts';
import { answer, asked, errorLine, GARBLED, ran } from '../support/permission-answers.ts';
import { makePlace } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';

const bash = (command: string) => toolUse('Bash', { command });

describe('lines', () => {
  test('[P-1, P-4] odd lines do not end the process, and the next good one is answered', async () => {
    const place = await makePlace(() => 'ok');
    const run = await sendOddLines(place, ODD_LINES);
    expect(run).toMatchObject({ answered: ODD_LINES.length, faults: [] });
  });

  test('[P-2, P-3, K23] 300 random and mutated lines', async () => {
    const place = await makePlace(() => 'ok');
    expect((await fuzzProtocol(place, { lines: 300, seed: 20260101 })).faults).toEqual([]);
  });

  test('[P-11] a prompt of 10 MB, lines cut anywhere, two at once, the last without an end', async () => {
    const place = await makePlace(() => 'ok');
    const { sent, arrived } = await sendInPieces(place, { cuts: [1, 55, 58, 60], largeBytes: 10_000_000 });
    expect(arrived).toBe(sent);
  });
});

describe('control requests', () => {
  test('[P-3, CTL-01, CTL-02] every request gets exactly one response; an unknown one an error', async () => {
    const place = await makePlace();
    const cli = startCli(STREAM_BOTH, { place });
    expect(await cli.control({ subtype: 'initialize' })).toMatchObject({
      subtype: 'success',
      response: { models: expect.any(Array), pid: cli.pid, capabilities: expect.arrayContaining(['end_input']) },
    });
    expect(await cli.control({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
    expect(await cli.control({ subtype: 'no_such_thing' })).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('no_such_thing'),
    });
    expect(await cli.control({ subtype: 'set_permission_mode', mode: 'yolo' })).toMatchObject({ subtype: 'error' });
    expect(await cli.control({ subtype: 'set_permission_mode', mode: 'plan' })).toMatchObject({ subtype: 'success' });
    cli.endInput();
    const { code, lines } = await cli.finished;
    expect(code).toBe(0);
    const ids = lines.map((line) => (line.response as { request_id: string }).request_id);
    expect(new Set(ids).size).toBe(5);
  });

  test('[K2] end_input: the turn and what is queued are finished, then it ends by itself', async () => {
    const place = await makePlace([reply([text('one')], { waitMs: 100 }), 'two']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('first');
    cli.say('second');
    expect(await cli.control({ subtype: 'end_input' })).toMatchObject({ subtype: 'success' });
    const { code, lines } = await cli.finished; // its stdin is still open
    expect(code).toBe(0);
    expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual(['one', 'two']);
  });

  test('[P-13, CTL-05, QM-01] interrupt: its answer, the result within two seconds, and the next turn works', async () => {
    const place = await makePlace([bash('echo $$ > pid; sleep 600'), 'fine']);
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
    cli.say('go');
    await eventually(() => existsSync(join(place.cwd, 'pid')));
    const { result, ms } = await interrupt(cli);
    expect(result).toMatchObject({ subtype: 'error_during_execution' });
    expect(ms).toBeLessThan(2000);
    cli.say('next');
    expect(await cli.nextResult()).toMatchObject({ result: 'fine' });
  });

  test('an interrupt without a turn does nothing', async () => {
    const place = await makePlace(['fine']);
    const cli = startCli(STREAM_BOTH, { place });
    expect(await cli.control({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'fine' });
  });
});

describe('permission answers', () => {
  test('[CTL-12, PRM-15, K12] the question names tool, input and suggestions; a bare allow runs the original', async () => {
    const { cli, place, question } = await asked();
    expect(question.request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'touch canary' },
      permission_suggestions: expect.arrayContaining([expect.objectContaining({ type: expect.any(String) })]),
      tool_use_id: expect.any(String),
    });
    answer(cli, question, { behavior: 'allow' });
    await cli.nextResult();
    expect(ran(place)).toBe(true);
  });

  test.each(GARBLED)('[P-8] %s is a denial', async (_what, response) => {
    const { cli, place, question } = await asked();
    answer(cli, question, response);
    const result = await cli.nextResult();
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
    expect(toolResult(cli.lines.find(({ type }) => type === 'user'))?.content).toContain('is not valid');
    expect(ran(place)).toBe(false);
  });

  test('[PRM-01] a late answer counts: none of the time limits is one for people', async () => {
    const limits = [
      'API_TIMEOUT_MS',
      'BASH_DEFAULT_TIMEOUT_MS',
      'BASH_MAX_TIMEOUT_MS',
      'MCP_TIMEOUT',
      'MCP_TOOL_TIMEOUT',
    ];
    const { cli, place, question } = await asked(Object.fromEntries(limits.map((name) => [name, '400'])));
    await sleep(1500);
    expect(ran(place)).toBe(false);
    answer(cli, question, { behavior: 'allow' });
    expect(await cli.nextResult()).toMatchObject({ permission_denials: [] });
    expect(ran(place)).toBe(true);
  });

  test('[P-8, CTL-17] an error is a denial that tells the model why', async () => {
    const { cli, place, question } = await asked();
    cli.send(errorLine(question, 'the dialog broke'));
    await cli.nextResult();
    expect(ran(place)).toBe(false);
    expect(toolResult(cli.lines.find(({ type }) => type === 'user'))?.content).toContain('the dialog broke');
  });

  test('[P-5] an answer to another question approves nothing', async () => {
    const { cli, place, question } = await asked();
    answer(cli, { ...question, request_id: 'another' }, { behavior: 'allow' });
    await sleep(100);
    expect(ran(place)).toBe(false);
    answer(cli, question, { behavior: 'deny', message: 'no' });
    await cli.nextResult();
    expect(ran(place)).toBe(false);
  });

  test('[P-6] the first of two answers counts', async () => {
    const { cli, place, question } = await asked();
    answer(cli, question, { behavior: 'deny', message: 'no' });
    answer(cli, question, { behavior: 'allow' });
    await cli.nextResult();
    expect(ran(place)).toBe(false);
  });

  test('[P-7, P-18, K11] an interrupt withdraws the question; a late answer is ignored', async () => {
    const { cli, place, question } = await asked();
    await cli.control({ subtype: 'interrupt' });
    await cli.nextResult();
    expect(cli.lines).toContainEqual({ type: 'control_cancel_request', request_id: question.request_id });
    answer(cli, question, { behavior: 'allow' });
    cli.say('next');
    expect(await cli.nextResult()).toMatchObject({ is_error: false });
    expect(ran(place)).toBe(false);
  });

  test('[P-9, K2] the input ends while a question is open: a recorded denial, and it ends', async () => {
    const { cli, place } = await asked();
    const started = Date.now();
    cli.endInput();
    const { code, lines } = await cli.finished;
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(ran(place)).toBe(false);
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ type: 'result', permission_denials: [{ tool_name: 'Bash' }] });
  });

  test('[P-14] control lines aside, stdout holds messages only', async () => {
    const { cli, question } = await asked();
    answer(cli, question, { behavior: 'allow' });
    await cli.nextResult();
    cli.endInput();
    const { lines, stdout } = await cli.finished;
    expect(stdout.trimEnd().split('\n').length).toBe(lines.length);
    expect(lines.map(kindOf)).toEqual([
      ...['system/init', 'assistant', 'control_request', 'user', 'assistant', 'result/success'],
    ]);
    expect(isAlive(cli.pid)).toBe(false);
  });
});
