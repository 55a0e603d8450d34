import { once } from 'node:events';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { fuzzLine, seededRandom } from './fuzz.ts';
import type { Line } from './lines.ts';
import type { Place } from './place.ts';

const STACK_TRACE = /^\s+at .*:\d+:\d+/m;

/**
 * Throws so many broken lines at the protocol, in pieces that ignore their borders, then a good one. Returns all that is
 * not as it should be. The model must answer anything with a text.
 */
export async function fuzzProtocol(place: Place, { lines, seed }: { lines: number; seed: number }): Promise<string[]> {
  const random = seededRandom(seed);
  const cli = startCli(STREAM_BOTH, { place });
  const sent = Array.from({ length: lines }, (_, at) => fuzzLine(random, at));
  await writeInPieces(cli, sent, random);
  const uuid = '77777777-7777-4777-8777-777777777777';
  cli.say('still there?', { uuid });
  const faults: string[] = [];
  try {
    const isAnswer = (line: Line) => (line.user_message_uuids as string[] | undefined)?.includes(uuid) === true;
    const answer = await cli.next(isAnswer);
    if (answer.is_error) faults.push(`P-1: the next good line ended in an error: ${JSON.stringify(answer.errors)}`);
  } catch (error) {
    faults.push(`P-1: the next good line got no answer. ${error}`);
  }
  cli.endInput();
  const { code, signal, stdout, stderr } = await cli.finished;
  if (signal !== null || (code !== 0 && code !== 1)) faults.push(`P-2: it ended with ${code ?? signal}`);
  if (STACK_TRACE.test(stderr)) faults.push(`P-2: a crash trace: ${stderr.slice(-2000)}`);
  const stray = stdout.split('\n').filter((text) => text !== '' && !text.startsWith('{"'));
  return [...faults, ...stray.map((text) => `P-14: stray output ${text.slice(0, 80)}`), ...unanswered(sent, cli)];
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

/** P-3: as many responses as requests, by id, but for withdrawn ones. The empty id also stands in where there was none. */
function unanswered(sent: readonly Buffer[], cli: RunningCli): string[] {
  const idsOf = (type: string) => sent.flatMap((line) => requestId(line.toString('utf8'), type));
  const withdrawn = new Set(idsOf('control_cancel_request'));
  const asked = countBy(idsOf('control_request').filter((id) => !withdrawn.has(id)));
  const answered = countBy(
    cli.lines.flatMap((line) =>
      line.type === 'control_response' ? [(line.response as { request_id: string }).request_id] : [],
    ),
  );
  return [...asked].flatMap(([id, count]) => {
    const answers = answered.get(id) ?? 0;
    return answers === count ? [] : [`P-3: ${count} requests with id ${JSON.stringify(id)}, ${answers} responses`];
  });
}

function requestId(text: string, type: string): string[] {
  try {
    const line = JSON.parse(text) as { type?: unknown; request_id?: unknown } | null;
    const id = line?.type === type ? line.request_id : undefined;
    return typeof id === 'string' && id !== '' ? [id] : [];
  } catch {
    return [];
  }
}

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
