import { randomUUID } from 'node:crypto';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import type { Line } from './lines.ts';
import { requestIdOf } from './odd-lines.ts';
import type { Place } from './place.ts';
import { conversationText } from './requests.ts';

export interface OddLinesRun {
  /** How many of the good lines, one after each odd line, have reached the model and were answered. */
  answered: number;
  /** How many of the odd lines were requests with an id, and how many responses there were to those. */
  asked: number;
  responses: number;
  faults: string[];
}

/** Sends each line, then a good one, which must be answered. The model must answer anything with a text. */
export async function sendOddLines(place: Place, lines: readonly Buffer[]): Promise<OddLinesRun> {
  const cli = startCli(STREAM_BOTH, { place });
  const run: OddLinesRun = { answered: 0, asked: 0, responses: 0, faults: [] };
  for (const [at, line] of lines.entries()) {
    cli.child.stdin?.write(line);
    cli.write('\n');
    const fault = await goodLineFault(cli, place, `good line ${at}.`);
    if (fault === null) run.answered++;
    else run.faults.push(`after ${line.toString('utf8').slice(0, 100)}: ${fault}`);
  }
  cli.endInput();
  const { code, stderr } = await cli.finished;
  if (code !== 0) run.faults.push(`it ended with ${code}`);
  if (stderr !== '') run.faults.push(`it said ${stderr.slice(0, 500)}`);
  const ids = lines.flatMap((line) => requestIdOf(line) ?? []);
  const answers = responseIds(cli);
  run.asked = ids.length;
  run.responses = answers.filter((id) => ids.includes(id)).length;
  for (const id of ids) {
    const times = answers.filter((each) => each === id).length;
    if (times !== 1) run.faults.push(`the request ${id.slice(0, 50)} got ${times} responses`);
  }
  return run;
}

/** The ids of all responses so far, in order. */
export function responseIds(cli: RunningCli): string[] {
  return cli.lines.flatMap((line) =>
    line.type === 'control_response' ? [(line.response as { request_id: string }).request_id] : [],
  );
}

async function goodLineFault(cli: RunningCli, place: Place, words: string): Promise<string | null> {
  const uuid = randomUUID();
  cli.say(words, { uuid });
  try {
    const isAnswer = (line: Line) => (line.user_message_uuids as string[] | undefined)?.includes(uuid) === true;
    if ((await cli.next(isAnswer)).is_error) return 'the good line ended in an error';
  } catch (error) {
    return `the good line got no answer: ${error}`;
  }
  return conversationText(place.api.requests.at(-1)).includes(words) ? null : 'the good line did not reach the model';
}
