import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { runCli, STREAM_OUT, startCli } from './cli.ts';
import { type Line, textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { bodyOf, conversationText, isPrefix } from './requests.ts';
import { readEntries, sessionFile, sessionFiles } from './session-files.ts';

/** When the agent is killed: once it has printed so many lines, or so much later. */
export interface KillPoint {
  lines: number;
  thenMs: number;
}

const ROUNDS = 5;
const RESUMING = 'what came of it?';
/** The lines of a run that nobody kills: init, per round two blocks and two results, the last text, the result. */
export const SWEEP_LINES = 1 + ROUNDS * 5 + 2;

/** Several rounds of text and tools, slowly enough that a kill can fall anywhere; and an answer to the resuming prompt. */
export function sweepScript(): Script<FakeApiRequest> {
  return (request) => {
    if (conversationText(request).includes(RESUMING)) return 'Here is all I know.';
    const round = bodyOf(request).messages.filter(({ role }) => role === 'assistant').length;
    return paced(round < ROUNDS ? stepOf(round) : [text('All ', 'done.')]);
  };
}

function stepOf(round: number): Reply['content'] {
  const run = (name: string) => toolUse('Bash', { command: `echo ${name}-${round} >> ran; echo out-${name}-${round}` });
  return [text('Now ', `comes step-${round}.`), run('a'), run('b')];
}

function paced(content: Reply['content']): AnswerLike {
  return reply(content, { deltaMs: 3 });
}

/** Kills a run at the point, resumes the session and returns everything that is not as it was promised. */
export async function killAndResume(place: Place, point: KillPoint): Promise<string[]> {
  const cli = startCli([...STREAM_OUT, 'start', '--allowedTools', 'Bash'], { place });
  cli.endInput();
  await cli.until(() => cli.lines.length >= point.lines).catch(() => {}); // or it has ended by itself
  await sleep(point.thenMs);
  cli.kill('SIGKILL');
  const { lines } = await cli.finished;
  const sessionId = lines.find(({ subtype }) => subtype === 'init')?.session_id;
  if (sessionId === undefined) return damageWithoutInit(place);
  const file = sessionFile(place, sessionId);
  const faults = [...fileFaults(file, lines), ...(await resumeFaults(place, sessionId, lines)), ...doubleRuns(place)];
  return faults.concat(chainFaults(readAfterResume(file)));
}

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

/** Of a file that a kill may have torn in one place; the resumed run has gone on behind it. */
function readAfterResume(file: string): Line[] {
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
