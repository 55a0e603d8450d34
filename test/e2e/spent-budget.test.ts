import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, reply, text } from '../../src/testing/index.ts';
import { cast, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';

/** Much more than a dollar. */
const dear = { usage: { input_tokens: 5_000_000 } };
const BUDGET = ['--max-budget-usd', '1', '--allowedTools', 'Task', 'Bash'];
const NAMES = ['ONE', 'TWO', 'THREE'];

const agents = NAMES.map((name) => task(`${name} go`, { run_in_background: true, description: name }));
const endsOf = (lines: readonly Line[]) => lines.filter(({ subtype }) => subtype === 'task_notification');
const late = (ms: number, answer: ReturnType<typeof reply>) => async () => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return answer;
};

describe('[LOOP-09] a spent budget with agents in the background', () => {
  test('by the main thread: one result, and the agents end with the reason', async () => {
    const works = Object.fromEntries(NAMES.map((name, at) => [name, [late(100 * at, reply([text('ok')])), 'never']]));
    const place = await makePlace(
      cast<FakeApiRequest>({ LEAD: [reply(agents), reply([text('Dispatched.')], dear), 'never'], ...works }),
    );
    const { lines, code } = await runCli([...STREAM_OUT, 'LEAD go', ...BUDGET], { place });
    expect(lines.filter(isResult)).toMatchObject([{ is_error: false }]);
    expect(code).toBe(0);
  });
});
