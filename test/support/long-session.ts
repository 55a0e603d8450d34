import { type AnswerLike, type FakeApiRequest, reply, text, thinking, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from './api-faults.ts';
import { STREAM_BOTH, startCli } from './cli.ts';
import { textsOf } from './lines.ts';
import type { Place } from './place.ts';
import { residentMegabytes } from './processes.ts';
import { bodyOf } from './requests.ts';

/** From how many tokens on the conversation is compacted; there are some dozen turns between two compactions. */
const COMPACT_AT = 8000;

export interface LongSession {
  sessionId: string;
  /** Everything that should not have happened. */
  faults: string[];
  compactions: number;
  /** Of the process, in megabytes, after each turn. */
  memory: number[];
}

/** An API for `runLongSession`: a tool now and then, thoughts, and as many tokens as the request is long. */
export function longScript(): (request: FakeApiRequest) => AnswerLike {
  let count = 0;
  return (request) => {
    const id = `msg_${++count}`;
    const told = textsOf(bodyOf(request).messages.at(-1)).join('\n');
    const usage = { input_tokens: Math.ceil(request.text.length / 4), cache_read_input_tokens: 0 };
    if (told.includes('</summary>')) return reply([text(`<summary>Up to ${count}.</summary>`)], { id, usage });
    const turn = Number(/^turn (\d+)/m.exec(told)?.[1] ?? -1);
    if (turn % 3 === 0) return reply([toolUse('Glob', { pattern: `*${turn}*` }, `toolu_${count}`)], { id, usage });
    if (turn % 50 === 1) return reply([toolUse('Bash', { command: 'seq 1 20' }, `toolu_${count}`)], { id, usage });
    return reply([thinking(`Turn ${turn}?`), text('So be it. '.repeat(20))], { id, usage });
  };
}

/** Turns one after the other in one process of the command line. */
export async function runLongSession(place: Place, turns: number): Promise<LongSession> {
  const args = [...STREAM_BOTH, '--allowedTools', 'Bash', '--autocompact', String(COMPACT_AT)];
  const cli = startCli(args, { place });
  const run: LongSession = { sessionId: '', faults: [], compactions: 0, memory: [] };
  for (let turn = 0; turn < turns; turn++) {
    cli.say(`turn ${turn}`);
    const { is_error, errors, session_id } = await cli.nextResult();
    if (is_error) run.faults.push(`turn ${turn}: ${JSON.stringify(errors)}`);
    if (turn % 20 === 0) run.faults.push(...place.api.requests.flatMap((request) => apiFaults(bodyOf(request))));
    run.compactions += cli.lines.filter(({ subtype }) => subtype === 'compact_boundary').length;
    run.memory.push(residentMegabytes(cli.pid));
    run.sessionId = String(session_id);
    place.api.requests.length = 0;
    cli.forget();
  }
  cli.endInput();
  const { code, stderr } = await cli.finished;
  if (code !== 0 || stderr !== '') run.faults.push(`it ended with ${code}: ${stderr}`);
  return run;
}

/** So many turns a process takes until its heap has found its size. */
export const WARM_UP_TURNS = 1000;

/** How much more memory there is at the end than after a tenth of the turns; medians, because collections come and go. */
export function growth(memory: readonly number[]): number {
  const around = Math.ceil(memory.length / 50);
  const from = Math.max(WARM_UP_TURNS, Math.floor(memory.length / 10));
  return median(memory.slice(-around)) / median(memory.slice(from, from + around));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
