import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { projectSlug } from '../../src/sessions/files/project-slug.ts';
import {
  type AnswerLike,
  type FakeApiRequest,
  type Reply,
  reply,
  type Script,
  text,
  toolUse,
} from '../../src/testing/index.ts';
import { apiFaults } from './api-faults.ts';
import { type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from './cli.ts';
import { begins, type KillPoint, type Phase, phaseOf, SWEEP_TURNS } from './kill-points.ts';
import { blocksOf, isResult, type Line, textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { type Body, bodyOf, conversationText, isPrefix } from './requests.ts';
import { readEntries, sessionFiles } from './session-files.ts';

const ROUNDS = 2;
const RESUMING = 'what came of it?';

/** Turns of several rounds of text and parallel tools, slowly enough that a kill can fall anywhere. */
export function sweepScript(): Script<FakeApiRequest> {
  return (request) => {
    if (conversationText(request).includes(RESUMING)) return 'Here is all I know.';
    const { turn, round } = placeOf(bodyOf(request));
    return paced(round < ROUNDS ? stepOf(`${turn}-${round}`) : [text('All ', `done-${turn}.`)]);
  };
}

function placeOf({ messages }: Body): { turn: number; round: number } {
  const asked = messages.findLastIndex((message) => textsOf(message).some((said) => said.startsWith('go ')));
  const turn = messages.flatMap(textsOf).filter((said) => said.startsWith('go ')).length;
  return { turn, round: messages.slice(asked).filter(({ role }) => role === 'assistant').length };
}

function stepOf(name: string): Reply['content'] {
  const run = (which: string) =>
    toolUse('Bash', { command: `echo ${which}-${name} >> ran; sleep 0.05; echo out-${which}-${name}` });
  return [text('Now ', 'comes ', `step-${name}.`), run('a'), run('b')];
}

function paced(content: Reply['content']): AnswerLike {
  return reply(content, { waitMs: 6, deltaMs: 3 });
}

export interface Killed {
  /** What it was doing, which need not be what the point was aimed at. */
  phase: Phase;
  /** Everything that is not as it was promised. */
  faults: string[];
}

/** Kills a run at the point and resumes the session. */
export async function killAndResume(place: Place, point: KillPoint): Promise<Killed> {
  const sessionId = randomUUID();
  const file = join(place.home, 'projects', projectSlug(place.cwd), `${sessionId}.jsonl`);
  const flags = ['--allowedTools', 'Bash', '--include-partial-messages', '--session-id', sessionId];
  const cli = startCli([...STREAM_BOTH, ...flags], { place });
  const talking = talk(cli);
  await killAt(cli, point, file);
  const { lines } = await cli.finished;
  await talking;
  if (!lines.some(({ subtype }) => subtype === 'init'))
    return { phase: 'before init', faults: damageWithoutInit(place) };
  const phase = phaseOf(lines, existsSync(file) ? readAfterKill(file) : []);
  const faults = [...fileFaults(file, lines), ...(await resumeFaults(place, sessionId, lines)), ...doubleRuns(place)];
  const entries = readAfterKill(file);
  return { phase, faults: [...faults, ...chainFaults(entries), ...answerFaults(entries)] };
}

/** The host's side: a prompt, and a moment after each result the next one. */
async function talk(cli: RunningCli): Promise<void> {
  for (let turn = 1; turn <= SWEEP_TURNS; turn++) {
    cli.say(`go ${turn}`);
    const isOver = await cli
      .until(() => cli.lines.filter(isResult).length >= turn)
      .then(
        () => false,
        () => true, // it was killed
      );
    if (isOver) return;
    await sleep(10);
  }
  cli.endInput();
}

async function killAt(cli: RunningCli, { phase, nth, thenMs }: KillPoint, file: string): Promise<void> {
  if (phase === 'between write and emit') return killAfterWrite(cli, nth, file);
  const wanted = phase === 'after the last result' ? SWEEP_TURNS : nth;
  const isThere = () => cli.lines.filter((line) => begins(phase, line)).length >= wanted;
  if (phase !== 'before init') await cli.until(isThere).catch(() => {}); // or it has ended by itself
  await sleep(thenMs);
  cli.kill('SIGKILL');
}

/**
 * Kills as soon as the file has grown for the nth time. What follows a write takes a fraction of a millisecond, so a
 * thread of its own looks at nothing but the size of the file.
 */
async function killAfterWrite(cli: RunningCli, nth: number, file: string): Promise<void> {
  const watcher = new Worker(WATCHER, { eval: true, workerData: { pid: cli.pid, nth, file } });
  onTestFinished(async () => void (await watcher.terminate()));
  await Promise.race([cli.finished, new Promise((resolve) => watcher.once('exit', resolve))]);
  await watcher.terminate();
}

const WATCHER = `
  const { statSync } = require('node:fs');
  const { pid, nth, file } = require('node:worker_threads').workerData;
  const deadline = Date.now() + 10_000;
  let size = 0;
  for (let times = 0; times < nth && Date.now() < deadline; ) {
    const now = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (now > size) times++;
    size = now;
  }
  try { process.kill(pid, 'SIGKILL'); } catch {}
`;

/** Killed before it had said anything: what it may have written must be readable all the same. */
function damageWithoutInit(place: Place): string[] {
  if (!existsSync(join(place.home, 'projects'))) return [];
  return sessionFiles(place).flatMap((file) => fileFaults(file, []));
}

function fileFaults(file: string, seen: readonly Line[]): string[] {
  try {
    const stored = new Set(readEntries(file, { tornEnd: true }).map(({ uuid }) => uuid));
    const lost = acknowledged(seen).filter(({ uuid }) => !stored.has(uuid));
    return lost.map((line) => `S-1: ${line.type} ${line.uuid} was said, but is not on disk`);
  } catch (error) {
    return [`S-3: ${error}`];
  }
}

function acknowledged(lines: readonly Line[]): Line[] {
  return lines.filter(({ type }) => type === 'assistant' || type === 'user');
}

async function resumeFaults(place: Place, sessionId: string, seen: readonly Line[]): Promise<string[]> {
  const before = place.api.requests.at(-1);
  const resumed = await runCli([...STREAM_OUT, RESUMING, '--resume', sessionId], { place });
  const result = resumed.lines.at(-1);
  if (resumed.code !== 0 || result?.result !== 'Here is all I know.') {
    return [`S-5: the resumed run ended with ${resumed.code}: ${resumed.stdout.slice(-500)} ${resumed.stderr}`];
  }
  const request = place.api.requests.at(-1);
  const told = conversationText(request);
  const missing = acknowledged(seen)
    .flatMap(({ message }) => textsOf(message))
    .filter((said) => !told.includes(said));
  return [
    ...(result.session_id === sessionId ? [] : [`SES-39: the session became ${result.session_id}`]),
    ...missing.map((said) => `S-2: the next request lacks "${said}"`),
    ...apiFaults(bodyOf(request)).map((fault) => `S-6: ${fault}`),
    ...(before && !isPrefix(bodyOf(before), bodyOf(request)) ? ['the last request is no prefix of the next'] : []),
  ];
}

function doubleRuns({ cwd }: Place): string[] {
  const ran = existsSync(join(cwd, 'ran')) ? readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n') : [];
  return ran.filter((name, at) => ran.indexOf(name) !== at).map((name) => `S-8: ${name} ran twice`);
}

/** Of a file that a kill may have torn in one place. */
function readAfterKill(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

function chainFaults(entries: readonly Line[]): string[] {
  const uuids = entries.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
  const known = new Set(uuids);
  const orphans = entries.filter(({ parentUuid }) => typeof parentUuid === 'string' && !known.has(parentUuid));
  return [
    ...orphans.map(({ uuid }) => `S-4: ${uuid} hangs from nothing`),
    ...uuids.filter((uuid, at) => uuids.indexOf(uuid) !== at).map((uuid) => `S-4: ${uuid} is there twice`),
  ];
}

/** Every call in the file is answered, and only once. */
function answerFaults(entries: readonly Line[]): string[] {
  const blocks = entries.flatMap(({ message }) => blocksOf(message));
  const answered = blocks.flatMap(({ tool_use_id }) => tool_use_id ?? []);
  const called = blocks.flatMap(({ type, id }) => (type === 'tool_use' && id !== undefined ? [id] : []));
  return called.flatMap((id) => {
    const times = answered.filter((each) => each === id).length;
    return times === 1 ? [] : [`S-7: the call ${id} was answered ${times} times`];
  });
}
