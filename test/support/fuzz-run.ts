import { once } from 'node:events';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { fuzzLine, seededRandom } from './fuzz.ts';
import type { Line } from './lines.ts';
import { requestIdOf, withdrawnIdOf } from './odd-lines.ts';
import { responseIds } from './odd-lines-run.ts';
import type { Place } from './place.ts';

const STACK_TRACE = /^\s+at .*:\d+:\d+/m;

export interface FuzzRun {
  /** Whether it ended before its input did, or in another way than by itself. */
  died: boolean;
  hasTrace: boolean;
  /** Requests that were asked, by id, and not withdrawn. */
  requests: number;
  /** All that is not as it should be, the above included. */
  faults: string[];
}

/**
 * Throws so many broken lines at the protocol, in pieces that ignore their borders, then a good one, which must be
 * answered. The model must answer anything with a text.
 */
export async function fuzzProtocol(place: Place, { lines, seed }: { lines: number; seed: number }): Promise<FuzzRun> {
  const random = seededRandom(seed);
  const cli = startCli(STREAM_BOTH, { place });
  const sent = Array.from({ length: lines }, (_, at) => fuzzLine(random, at));
  await writeInPieces(cli, sent, random);
  const goodLine = await goodLineFaults(cli);
  const isEarly = cli.child.exitCode !== null || cli.child.signalCode !== null;
  cli.endInput();
  const { code, signal, stdout, stderr } = await cli.finished;
  const died = isEarly || signal !== null || (code !== 0 && code !== 1);
  const hasTrace = STACK_TRACE.test(stderr);
  const stray = stdout.split('\n').filter((text) => text !== '' && !text.startsWith('{"'));
  const asked = askedIn(sent);
  const faults = [
    ...goodLine,
    ...(died ? [`P-2: it ended with ${code ?? signal}`] : []),
    ...(hasTrace ? [`P-2: a crash trace: ${stderr.slice(-2000)}`] : []),
    ...stray.map((text) => `P-14: stray output ${text.slice(0, 80)}`),
    ...unanswered(asked, cli),
  ];
  return { died, hasTrace, requests: asked.length, faults };
}

async function goodLineFaults(cli: RunningCli): Promise<string[]> {
  const uuid = '77777777-7777-4777-8777-777777777777';
  cli.say('still there?', { uuid });
  try {
    const isAnswer = (line: Line) => (line.user_message_uuids as string[] | undefined)?.includes(uuid) === true;
    const { is_error: isError, errors } = await cli.next(isAnswer);
    return isError ? [`P-1: the next good line ended in an error: ${JSON.stringify(errors)}`] : [];
  } catch (error) {
    return [`P-1: the next good line got no answer. ${error}`];
  }
}

async function writeInPieces(cli: RunningCli, lines: readonly Buffer[], random: () => number): Promise<void> {
  const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + Math.floor(random() * 16_000);
    const stdin = cli.child.stdin;
    if (!stdin?.writable) return;
    if (!stdin.write(bytes.subarray(from, to))) await Promise.race([once(stdin, 'drain'), cli.finished]);
    from = to;
  }
}

/** The ids of all requests but for withdrawn ones. */
function askedIn(sent: readonly Buffer[]): string[] {
  const withdrawn = new Set(sent.flatMap((line) => withdrawnIdOf(line) ?? []));
  return sent.flatMap((line) => requestIdOf(line) ?? []).filter((id) => !withdrawn.has(id));
}

/** P-3: as many responses as requests, by id. The empty id also stands in where there was none. */
function unanswered(asked: readonly string[], cli: RunningCli): string[] {
  const answered = countBy(responseIds(cli));
  return [...countBy(asked)].flatMap(([id, count]) => {
    const answers = answered.get(id) ?? 0;
    return answers === count ? [] : [`P-3: ${count} requests with id ${JSON.stringify(id)}, ${answers} responses`];
  });
}

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
