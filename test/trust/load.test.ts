import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectSlug } from '../../src/sessions/files/project-slug.ts';
import { CLI } from '../support/cli.ts';
import { file, story } from '../support/damage/story.ts';
import { longScript, runLongSession, WARM_UP_TURNS } from '../support/long-session.ts';
import { makePlace, type Place } from '../support/place.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const MOST_CPU_MS = 500;
const sessions = trustSize('SESSIONS', 1000);

test(`[L-4] ${sessions} sessions are listed in ${MOST_CPU_MS} ms of CPU time`, async () => {
  const place = await makePlace();
  const folder = join(place.home, 'projects', projectSlug(place.cwd));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = file(story());
  for (let at = 0; at < sessions; at++) writeFileSync(join(folder, `${uuidOf(at)}.jsonl`), bytes, { mode: 0o600 });
  const runs = [1, 2, 3].map(() => listSessions(place));
  expect(runs.map(({ ids }) => ids.size)).toEqual([sessions, sessions, sessions]);
  const best = Math.min(...runs.map(({ cpuMs }) => cpuMs));
  figure('L-4', `${sessions.toLocaleString('en')} sessions listed in ${Math.round(best)} ms of CPU time`);
  expect(best).toBeLessThan(MOST_CPU_MS);
});

function uuidOf(at: number): string {
  return `0da3a6ed-0000-4000-8000-${String(at).padStart(12, '0')}`;
}

/** `time` of the shell tells the CPU time of what it ran, which a busy machine does not change much. */
function listSessions({ cwd, env }: Place): { ids: Set<string>; cpuMs: number } {
  const script = `TIMEFORMAT='%U %S'; time '${process.execPath}' '${CLI}' sessions list --json --limit ${sessions}`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, env, encoding: 'utf8', maxBuffer: 1e9 });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return { ids: new Set(stdout.match(/0da3a6ed-0000-4000-8000-\d{12}/g)), cpuMs: (user + system) * 1000 };
}

const window = trustSize('TURNS', 1000);
const AROUND = Math.ceil(window / 10);

test(`[L-2] another ${window} turns and their compactions: memory grows by less than 10 %`, async () => {
  const place = await makePlace(longScript());
  const { faults, memory } = await runLongSession(place, WARM_UP_TURNS + window);
  expect(faults).toEqual([]);
  const [before, after] = [memory.slice(WARM_UP_TURNS, WARM_UP_TURNS + AROUND), memory.slice(-AROUND)].map(median);
  const growth = (after as number) / (before as number);
  const said = `${Math.round(before as number)} MB after ${WARM_UP_TURNS} turns, ${Math.round(after as number)} MB ${window} later`;
  figure('L-2', said);
  expect(growth, `${said}: ${memory.filter((_, turn) => turn % 100 === 0).map(Math.round)}`).toBeLessThan(1.1);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
