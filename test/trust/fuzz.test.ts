import { afterAll, expect, test } from 'vitest';
import { fuzzProtocol } from '../support/fuzz-run.ts';
import { makePlace } from '../support/place.ts';
import { figure } from './figures.ts';
import { batches, trustSize } from './size.ts';

const seed = trustSize('SEED', 1);
const seen = { lines: 0, deaths: 0, traces: 0, requests: 0, unanswered: 0 };

test.each(batches(trustSize('LINES', 10_000), 500))(
  `[P-1, P-2, P-3] random and mutated lines $from to $to of seed ${seed}: no death, no trace, the next line is answered`,
  async ({ from, to }) => {
    const place = await makePlace(() => 'ok');
    const run = await fuzzProtocol(place, { lines: to - from, seed: seed + from });
    seen.lines += to - from;
    seen.requests += run.requests;
    if (run.died) seen.deaths++;
    if (run.hasTrace) seen.traces++;
    seen.unanswered += run.faults.filter((fault) => fault.startsWith('P-3')).length;
    expect(run.faults).toEqual([]);
  },
);

afterAll(() => {
  const { lines, deaths, traces, requests, unanswered } = seen;
  figure('P-2', `${lines.toLocaleString('en')} lines, ${deaths} deaths, ${traces} crash traces`);
  figure('P-3', `${requests.toLocaleString('en')} requests between broken lines, ${unanswered} not answered once`);
});
