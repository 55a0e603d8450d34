import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import type { Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

/** Sonnet: 3 dollars for a million tokens in, 15 for a million out. */
const costOf = (input: number, output: number) => (input * 3 + output * 15) / 1e6;
const spend = (input_tokens: number, output_tokens: number) => ({
  usage: { input_tokens, output_tokens, cache_read_input_tokens: 0 },
});
const task = (description: string, prompt: string, more: object = {}) =>
  toolUse('Task', { description, prompt, subagent_type: 'boss', ...more });
const AGENTS = JSON.stringify({ boss: { description: 'd', prompt: 'p', tools: ['Task'] } });

/** The main thread starts an agent that starts another in the background, and one beside them that nobody waits for. */
function house() {
  return makePlace((request) => {
    const said = conversationText(request);
    const isFirst = bodyOf(request).messages.length === 1;
    if (said.startsWith('inner work')) return reply([text('inner done')], spend(1000, 100));
    if (said.startsWith('outer work')) {
      if (isFirst) return reply([task('inner', 'inner work', { run_in_background: true })], spend(2000, 200));
      return reply([text('outer done')], spend(3000, 300));
    }
    if (said.startsWith('beside')) return reply([text('beside done')], spend(4000, 400));
    if (isFirst) {
      const calls = [task('outer', 'outer work'), task('third', 'beside', { run_in_background: true })];
      return reply(calls, spend(5000, 500));
    }
    return reply([text('all done')], spend(6000, 600));
  });
}

test('text with --verbose: a tree of the agents on stderr whose costs add up to the total', async () => {
  const place = await house();
  const { stdout, stderr, code } = await runCli(['-p', '--verbose', 'go', '--agents', AGENTS], { place });
  expect([code, stdout]).toEqual([0, 'all done\n']);
  const lines = stderr.trim().split('\n');
  const costs = lines.map((line) => Number(/\$([\d.]+)$/.exec(line)?.[1]));
  const mainCalls = place.api.requests.filter((request) => conversationText(request).startsWith('go')).length;
  expect(lines.map((line) => line.replace(/ a[0-9a-f]{6} /, ' ID ').replace(/, \d+ tokens/, ''))).toEqual([
    expect.stringMatching(/^main thread: /),
    expect.stringMatching(/^├─ boss ID "outer": completed, 1 tool use, \$/),
    expect.stringMatching(/^│ {2}└─ boss ID "inner": completed, 0 tool uses, \$/),
    expect.stringMatching(/^└─ boss ID "third": completed, 0 tool uses, \$/),
    expect.stringMatching(/^total: /),
  ]);
  expect(costs.slice(0, -1)).toEqual([
    expect.closeTo(costOf(5000, 500) + (mainCalls - 1) * costOf(6000, 600), 6),
    expect.closeTo(costOf(5000, 500), 6),
    expect.closeTo(costOf(1000, 100), 6),
    expect.closeTo(costOf(4000, 400), 6),
  ]);
  expect(costs.slice(0, -1).reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(costs.at(-1) ?? 0, 6);
});

test('the lines of a run: what agents cost and what the main thread cost is the total', async () => {
  const place = await house();
  const { lines } = await runCli([...STREAM_OUT, 'go', '--agents', AGENTS], { place });
  const ends = lines.filter(({ subtype, usage }) => subtype === 'task_updated' && usage !== undefined);
  const agents = ends.map(({ usage }: Line) => (usage as { cost_usd: number }).cost_usd);
  expect(agents.sort()).toEqual(
    [costOf(1000, 100), costOf(4000, 400), costOf(5000, 500)].map((cost) => expect.closeTo(cost, 9)),
  );
  const mainCalls = place.api.requests.filter((request) => conversationText(request).startsWith('go')).length;
  const main = costOf(5000, 500) + (mainCalls - 1) * costOf(6000, 600);
  const total = lines.at(-1)?.total_cost_usd as number;
  expect(total).toBeCloseTo(main + agents.reduce((sum, cost) => sum + cost, 0), 9);
});

test('a text run without agents, or without --verbose, says no more than before', async () => {
  const place = await makePlace(['hi', 'hi']);
  expect(await runCli(['-p', '--verbose', 'go'], { place })).toMatchObject({ stdout: 'hi\n', stderr: '' });
  expect(await runCli(['-p', 'go'], { place: await house() })).toMatchObject({ stdout: expect.any(String) });
});
