import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, reply, text, toolUse } from '../../src/testing/index.ts';
import { recordsOf, timesTold } from '../support/background.ts';
import { type AnyRequest, cast, type Line as Spoken, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';

/** 1.5 dollars, where one is the budget. */
const dear = { usage: { output_tokens: 100_000 } };
const BUDGET = ['--max-budget-usd', '1', '--allowedTools', 'Task', 'Bash'];
const NAMES = ['ONE', 'TWO', 'THREE'];
const SPENT = { subtype: 'error_max_budget_usd', is_error: true, error_code: 'budget_exhausted' };

const STOPPED = 'The agent was stopped: the budget of this run is used up.';

const agents = NAMES.map((name) => task(`${name} go`, { run_in_background: true, description: name }));
const resultsOf = (lines: readonly Line[]) => lines.filter(({ type }) => type === 'result');
const ends = (lines: readonly Line[]) => lines.filter((line) => kindOf(line) === 'system/task_notification');
const tokens = (answer: Parameters<typeof reply>[0]) => reply(answer, { usage: { output_tokens: 1 } });

/** A door that stays closed until the test opens it. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, behind: (answer: ReturnType<typeof reply>) => () => opened.then(() => answer) };
}

/** A place where the lead says these lines, and each agent its own; how often who asked the model is counted. */
function placeOf(lead: readonly Spoken<FakeApiRequest>[], work: (at: number) => readonly Spoken<FakeApiRequest>[]) {
  const works = Object.fromEntries(NAMES.map((name, at) => [name, work(at)]));
  return makePlace(cast<FakeApiRequest & AnyRequest>({ LEAD: lead, ...works }));
}

async function resumed(place: Place, sessionId: unknown) {
  const asked = place.api.requests.length;
  const { lines } = await runCli([...STREAM_OUT, 'and now?', '--resume', String(sessionId)], { place });
  return { lines, request: place.api.requests[asked] };
}

describe('[LOOP-09] a spent budget is told in one result, however many agents work in the background', () => {
  test('spent by the answer to the prompt: its result says so, and the ends of the agents begin no turn', async () => {
    const doors = NAMES.map(door);
    const place = await placeOf([tokens(agents), reply([text('Dispatched.')], dear), 'On.'], (at) => [
      doors[at]?.behind(tokens([toolUse('Bash', { command: 'echo' })])) ?? 'never',
    ]);
    const cli = startCli([...STREAM_OUT, 'LEAD go', ...BUDGET], { place });
    cli.endInput();
    const { session_id } = await cli.nextResult();
    for (const { open } of doors) {
      const before = ends(cli.lines).length;
      open();
      await cli.until(() => ends(cli.lines).length > before); // one after the other: each end is news of its own
    }
    const { lines, code } = await cli.finished;
    expect(resultsOf(lines)).toMatchObject([{ ...SPENT, pending_tasks: [{}, {}, {}] }]);
    expect(code).toBe(1);
    const summaries = ends(lines).map(({ summary }) => summary);
    expect(summaries).toEqual(NAMES.map((name) => `Agent "${name}" failed: ${STOPPED}`));
    expect(place.api.requests).toHaveLength(5);

    // Nothing is lost: the next run finds each end in its conversation, once.
    const records = recordsOf(place, String(session_id));
    expect(records.map(({ told }) => told)).toEqual([true, true, true]);
    const next = await resumed(place, session_id);
    expect(records.map(({ task_id }) => timesTold(next.request, String(task_id)))).toEqual([1, 1, 1]);
    expect(next.lines.map(kindOf)).toEqual(['system/init', 'system/resume_report', 'assistant', 'result/success']);
  });

  test('spent by the agents: one more result tells of it, the first of them that ends', async () => {
    const doors = NAMES.map(door);
    const place = await placeOf([tokens(agents), 'Dispatched.', 'On.'], (at) => [
      doors[at]?.behind(reply([text('Done.')], dear)) ?? 'never',
    ]);
    const cli = startCli([...STREAM_OUT, 'LEAD go', ...BUDGET], { place });
    cli.endInput();
    const { session_id } = await cli.nextResult();
    doors[0]?.open();
    await cli.nextResult();
    doors[1]?.open();
    await cli.until(() => ends(cli.lines).length === 2);
    doors[2]?.open();
    const { lines, code } = await cli.finished;
    const origin = { kind: 'task-notification' };
    expect(resultsOf(lines)).toMatchObject([
      { subtype: 'success', result: 'Dispatched.' },
      { ...SPENT, origin },
    ]);
    expect(code).toBe(1);
    expect(ends(lines)).toHaveLength(3);
    const records = recordsOf(place, String(session_id));
    const next = await resumed(place, session_id);
    expect(records.map(({ task_id }) => timesTold(next.request, String(task_id)))).toEqual([1, 1, 1]);
    expect(next.lines.at(-1)?.total_cost_usd).toBeGreaterThan(4.5); // those that ended after the last result as well
  });

  test('a prompt that follows has one result as well', async () => {
    const slow = door();
    const place = await placeOf([tokens(agents), reply([text('Dispatched.')], dear)], () => [slow.behind(tokens([]))]);
    const cli = startCli([...STREAM_BOTH, ...BUDGET], { place });
    cli.say('LEAD go');
    await cli.nextResult();
    cli.say('and?');
    await cli.nextResult();
    slow.open();
    await cli.until(() => ends(cli.lines).length === 3);
    cli.say('and now?');
    await cli.nextResult();
    cli.endInput();
    const { lines } = await cli.finished;
    expect(resultsOf(lines)).toMatchObject([SPENT, SPENT, SPENT]);
    expect(resultsOf(lines).some((line) => 'origin' in line && line.origin)).toBe(false);
  });

  test('a budget that is spent with nothing in the background leaves the answer as it is', async () => {
    const place = await makePlace([reply([text('Hello.')], dear)]);
    const { lines, code } = await runCli([...STREAM_OUT, 'hi', ...BUDGET], { place });
    expect(resultsOf(lines)).toMatchObject([{ subtype: 'success', result: 'Hello.' }]);
    expect(code).toBe(0);
  });
});
