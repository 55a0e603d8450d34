import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Stats } from '../../src/admin/stats/stats.ts';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { ask, sessions } from '../support/session-commands.ts';

/** Sonnet: 3 dollars for a million tokens in, 15 for a million out. */
const costOf = (input: number, output: number) => (input * 3 + output * 15) / 1e6;
const spend = (input_tokens: number, output_tokens: number) => ({
  usage: { input_tokens, output_tokens, cache_read_input_tokens: 0 },
});
const SONNET = 'claude-sonnet-4-5';
const read = (name: string) => toolUse('Glob', { pattern: name });

async function stats(place: Place, ...args: string[]): Promise<Stats> {
  const { code, stdout, stderr } = await runCli(['stats', '--json', ...args], { place });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Stats;
}

/** Entries as other versions write them, in a session of a directory. */
function store(place: Place, { id, cwd, entries }: { id: number; cwd: string; entries: object[] }): string {
  const sessionId = `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`;
  const folder = join(place.home, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const lines = entries.map((entry) => JSON.stringify({ sessionId, cwd, isSidechain: false, ...entry }));
  writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`);
  return sessionId;
}

const prompt = (uuid: string, at: Date, parentUuid: string | null = null) => ({
  ...{ type: 'user', uuid, parentUuid, timestamp: at.toISOString() },
  message: { role: 'user', content: `prompt ${uuid}` },
});
const answer = (
  uuid: string,
  at: Date,
  more: { model?: string; id?: string; content?: object[]; input?: number } = {},
) => ({
  ...{
    type: 'assistant',
    uuid,
    parentUuid: null,
    timestamp: at.toISOString(),
    requestId: `request ${more.id ?? uuid}`,
  },
  message: {
    ...{ id: more.id ?? uuid, role: 'assistant', model: more.model ?? SONNET, stop_reason: 'end_turn' },
    content: more.content ?? [{ type: 'text', text: 'Done.' }],
    usage: { input_tokens: more.input ?? 1000, output_tokens: 100 },
  },
});
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);
const dayOf = (at: Date) => new Intl.DateTimeFormat('sv-SE').format(at);

test('sums are those that the runs have reported, by day, model, project and tool', async () => {
  const place = await makePlace((request) => {
    const said = conversationText(request);
    const isFirst = bodyOf(request).messages.length === 1;
    if (said.startsWith('agent work')) return reply([text('agent done')], spend(4000, 400));
    const task = toolUse('Task', { description: 'd', prompt: 'agent work', subagent_type: 'general-purpose' });
    if (isFirst) return reply([read('a'), read('b'), task], spend(5000, 500));
    return reply([text('all done')], spend(6000, 600));
  });
  const { code, lines } = await runCli(['-p', 'go', '--model', SONNET, '--output-format', 'json'], { place });
  expect(code).toBe(0);
  const reported = (lines.at(-1) as { total_cost_usd?: number } | undefined)?.total_cost_usd;
  const { total, days, models, projects, tools, unpriced } = await stats(place);
  const whole = { inputTokens: 15_000, outputTokens: 1500, turns: 1, sessions: 1, calls: 3 };
  expect(total).toMatchObject(whole);
  expect(total.costUsd).toBeCloseTo(costOf(15_000, 1500), 6);
  expect(total.costUsd).toBeCloseTo(reported ?? -1, 6);
  expect(days).toEqual([{ name: dayOf(new Date()), ...total }]);
  expect(models).toEqual([{ name: SONNET, ...total }]);
  expect(projects).toEqual([{ name: place.cwd, ...total }]);
  expect(tools.map(({ name, calls, turns }) => [name, calls, turns])).toEqual([
    ['Glob', 2, 1],
    ['Task', 1, 1],
  ]);
  expect(tools[0]?.costUsd).toBeCloseTo((costOf(5000, 500) * 2) / 3, 6);
  expect(unpriced).toEqual([]);
});

test('a resumed session and its fork count each turn once', async () => {
  const place = await makePlace((request) => {
    const asked = bodyOf(request).messages.filter(({ role }) => role === 'user').length;
    return reply([text('Done.')], spend(1000 * asked, 100));
  });
  const { sessionId } = await ask(place, 'one', '--model', SONNET);
  const forked = (await sessions(place, 'fork', sessionId)).stdout.trim();
  await ask(place, 'two', '--resume', sessionId, '--model', SONNET);
  await ask(place, 'three', '--resume', forked, '--model', SONNET);
  const { total } = await stats(place);
  expect(total).toMatchObject({ turns: 3, sessions: 2, inputTokens: 5000, outputTokens: 300 });
  expect(total.costUsd).toBeCloseTo(costOf(5000, 300), 6);
});

test('turns without a recorded cost are priced; recorded ones count as they are; --days and --project choose', async () => {
  const place = await makePlace();
  const [now, old] = [new Date(), daysAgo(3)];
  const elsewhere = join(place.root, 'gone');
  store(place, {
    id: 1,
    cwd: place.cwd,
    entries: [
      prompt('p1', old),
      // Two blocks of one answer repeat its usage.
      answer('a1', old, { id: 'm1', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] }),
      answer('a2', old, { id: 'm1', content: [{ type: 'tool_use', id: 't2', name: 'Read', input: {} }] }),
      prompt('p2', now, 'a2'),
      answer('a3', now),
      {
        type: 'cost-state',
        totalCostUSD: 2,
        modelUsage: { [SONNET]: { inputTokens: 70, outputTokens: 7, costUSD: 2 } },
      },
      prompt('p3', now, 'a3'),
      answer('a4', now),
      {
        type: 'cost-state',
        totalCostUSD: 5,
        modelUsage: { [SONNET]: { inputTokens: 90, outputTokens: 9, costUSD: 5 } },
      },
    ],
  });
  store(place, {
    id: 2,
    cwd: elsewhere,
    entries: [prompt('q1', now), answer('b1', now, { model: 'claude-haiku-4-5' })],
  });

  const all = await stats(place);
  expect(all.days.map(({ name, turns }) => [name, turns])).toEqual([
    [dayOf(old), 1],
    [dayOf(now), 3],
  ]);
  expect(all.days[0]).toMatchObject({ costUsd: costOf(1000, 100), calls: 2, inputTokens: 1000 });
  expect(all.models.map(({ name, costUsd }) => [name, costUsd])).toEqual([
    [SONNET, 5 + costOf(1000, 100)],
    ['claude-haiku-4-5', 0.0015],
  ]);
  expect(all.tools.map(({ name, costUsd }) => [name, costUsd])).toEqual([
    ['Bash', costOf(1000, 100) / 2],
    ['Read', costOf(1000, 100) / 2],
  ]);
  const today = await stats(place, '--days', '1', '--project', '.');
  expect(today.total).toMatchObject({ costUsd: 5, inputTokens: 90, outputTokens: 9, turns: 2, sessions: 1 });
  const gone = await stats(place, '--project', elsewhere);
  expect(gone.projects.map(({ name }) => name)).toEqual([elsewhere]);
});

test('people get tables, a model without a price is named, and an empty home is no error', async () => {
  const place = await makePlace();
  const none = await runCli(['stats'], { place });
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('--days 0 counts all') });
  const now = new Date();
  const entries = [prompt('p1', now), answer('a1', now, { model: 'house/own' }), { type: 'assistant', message: 7 }];
  store(place, { id: 1, cwd: place.cwd, entries });
  const { code, stdout, stderr } = await runCli(['stats'], { place });
  expect(code).toBe(0);
  expect(stderr).toContain('no price is known for house/own');
  expect(stdout).toContain('1 session · 1 turn · 0 calls · 1.0k tokens in, 100 out');
  expect(stdout).toMatch(/^MODEL +COST +IN +OUT +TURNS +SESSIONS +CALLS\nhouse\/own +\$0\.00 +1\.0k +100 +1 +1 +0$/m);
  const wrong = await runCli(['stats', '--days', 'many'], { place });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("needs a whole number, not 'many'") });
  expect((await runCli(['stats', 'more'], { place })).code).toBe(1);
});

test.each([40, 60, 80])('the tables fit %i columns', async (width) => {
  const { statsLines } = await import('../../src/cli/commands/stats/stats-tables.ts');
  const { createPaint } = await import('../../src/util/text/paint.ts');
  const counts = { costUsd: 1234.5, inputTokens: 2e8, outputTokens: 3e6, cacheReadTokens: 1e9, cacheWriteTokens: 1 };
  const row = { ...counts, turns: 12_345, sessions: 5000, calls: 123_456, name: `/home/ann/${'deep/'.repeat(20)}end` };
  const rows = Array.from({ length: 30 }, () => row);
  const view = { total: row, days: rows, models: rows, projects: rows, tools: rows, unpriced: [] };
  const terminal = { paint: createPaint({ colours: false }), width, room: width, isTerminal: true };
  const lines = statsLines(view, { days: 30, terminal });
  expect(lines.filter((line) => line.length > width)).toEqual([]);
  expect(lines).toContain('… and 10 more: --json has all');
});
