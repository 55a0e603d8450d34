import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { apiFaults } from '../support/api-faults.ts';
import { type Finished, STREAM_BOTH, startCli } from '../support/cli.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf } from '../support/requests.ts';
import { ROOT } from '../support/root.ts';
import { FAILURES } from './decisions/failure-suite.ts';
import { LIMITS } from './decisions/limit-suite.ts';
import type { Outcome, Row } from './decisions/row.ts';
import { STOPS, UNSHAPED_STOPS } from './decisions/stop-suite.ts';

/** Every way in which a run can end, each with a script that leads there. */
const TABLE: Row[] = [...STOPS, ...UNSHAPED_STOPS, ...LIMITS, ...FAILURES];

describe('[LOOP-16, B-137] the decision table', () => {
  test.each(TABLE.map((row) => [row.situation, row.title, row] as const))('%s: %s', async (_situation, _title, row) => {
    const place = await makePlace(row.script);
    row.before?.(place);
    const { code, lines, stderr } = await (row.run ?? ((where) => runRow(row, where)))(place);
    const results = lines.filter(isResult);
    const result = lines.at(-1);
    expect(outcomeOf(result, code), stderr).toEqual(row.outcome);
    expect(results.length).toBe(row.results ?? row.prompts?.length ?? 1);
    if (row.says !== undefined) expect(saidBy(result) ?? stderr).toMatch(wholly(row.says));
    expectRequests(row, place);
    row.and?.({ lines, result: result as Line, place });
  });
});

describe('docs/results.md', () => {
  const documented = readTable(readFileSync(join(ROOT, 'docs/results.md'), 'utf8'));

  test('[K6] has every situation of the table, and the table has every situation of it', () => {
    const situations = [...new Set(TABLE.map(({ situation }) => situation))];
    expect([...documented.keys()].toSorted()).toEqual(situations.toSorted());
  });

  test('[K6] says the same of each', () => {
    const differing = TABLE.filter(({ situation, outcome }) => !isDeepStrictEqual(documented.get(situation), outcome));
    expect(differing.map(({ situation, outcome }) => ({ situation, outcome }))).toEqual([]);
  });
});

async function runRow(row: Row, place: Place): Promise<Finished> {
  const cli = startCli([...STREAM_BOTH, ...(row.args ?? [])], { place, ...(row.env && { env: row.env }) });
  if (row.host) await row.host(cli, place);
  else for (const prompt of row.prompts ?? ['go']) cli.say(prompt);
  cli.endInput();
  return cli.finished;
}

function outcomeOf(line: Line | undefined, exitCode: number | null): Outcome {
  const result = line && isResult(line) ? line : undefined;
  return {
    subtype: result?.subtype ?? null,
    isError: result?.is_error ?? null,
    terminalReason: (result?.terminal_reason as string | undefined) ?? null,
    errorCode: (result?.error_code as string | undefined) ?? null,
    exitCode: exitCode ?? -1,
  };
}

function saidBy(line: Line | undefined): string | undefined {
  if (!line) return undefined;
  return line.result ?? (line.errors as string[] | undefined)?.[0];
}

function wholly(words: string | RegExp): RegExp {
  return words instanceof RegExp ? words : new RegExp(`^${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}

/** As many as expected, and each of them valid [M-15]. */
function expectRequests({ requests, script }: Row, { api }: Place): void {
  if (typeof requests === 'number') expect(api.requests.length).toBe(requests);
  else expect(api.requests.length).toBeLessThanOrEqual(requests.atMost);
  const isPaused = JSON.stringify(script ?? []).includes('pause_turn');
  expect(api.requests.flatMap((request) => apiFaults(bodyOf(request), { isPaused }))).toEqual([]);
}

/** The first table of the page, by situation. */
function readTable(page: string): Map<string, Outcome> {
  const [, , ...rows] = page.slice(page.indexOf('\n|')).trim().split('\n\n', 1)[0]?.split('\n') ?? [];
  return new Map(
    rows.map((row) => {
      const [situation = '', subtype, isError, terminalReason, errorCode, exitCode] = cellsOf(row);
      const outcome = {
        subtype: word(subtype),
        isError: isError ? isError === 'true' : null,
        terminalReason: word(terminalReason),
        errorCode: word(errorCode),
        exitCode: Number(exitCode),
      };
      return [situation, outcome];
    }),
  );
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Cells without a word in backticks say that there is none, in prose or by being empty. */
function word(cell: string | undefined): string | null {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? null;
}
