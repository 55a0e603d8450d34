import { blocksOf, isResult, type Line } from './lines.ts';

/** What an agent was doing when it was killed. */
export const PHASES = [
  'before init',
  'waiting for the model',
  'streaming',
  'between write and emit',
  'tool running',
  'tool result',
  'between turns',
  'after the last result',
] as const;
export type Phase = (typeof PHASES)[number];

/** When an agent is killed: so many milliseconds after the nth moment of the kind that begins a phase. */
export interface KillPoint {
  phase: Phase;
  nth: number;
  thenMs: number;
}

export const SWEEP_TURNS = 3;

/** How often a moment comes in the run of `kill-sweep.ts`, and for how long it is worth waiting after it. */
const MOMENTS: Record<Phase, { times: number; forMs: number }> = {
  'before init': { times: 1, forMs: 130 },
  'waiting for the model': { times: SWEEP_TURNS, forMs: 8 },
  streaming: { times: 40, forMs: 3 },
  'between write and emit': { times: 30, forMs: 0 },
  'tool running': { times: 2 * SWEEP_TURNS, forMs: 25 },
  'tool result': { times: 4 * SWEEP_TURNS, forMs: 2 },
  'between turns': { times: SWEEP_TURNS - 1, forMs: 12 },
  'after the last result': { times: 1, forMs: 20 },
};

/** So many points, the phases in turn. */
export function killPoints(count: number, random: () => number): KillPoint[] {
  return Array.from({ length: count }, (_, at) => {
    const phase = PHASES[at % PHASES.length] as Phase;
    const { times, forMs } = MOMENTS[phase];
    return { phase, nth: 1 + Math.floor(random() * times), thenMs: Math.floor(random() * (forMs + 1)) };
  });
}

/** Whether a line begins a phase. */
export function begins(phase: Phase, line: Line): boolean {
  switch (phase) {
    case 'waiting for the model':
      return line.subtype === 'init';
    case 'streaming':
      return line.event?.type === 'content_block_delta';
    case 'tool running':
      // The last of an answer's calls: before, the answer goes on.
      return blocksOf(line.message).some(({ input }) => String(input?.command).startsWith('echo b-'));
    case 'tool result':
      return line.type === 'user' && has(line, 'tool_result');
    case 'between turns':
    case 'after the last result':
      return isResult(line);
    default:
      return false;
  }
}

/** What it was doing, by what it had said and what it had stored when it was dead. */
export function phaseOf(said: readonly Line[], stored: readonly Line[]): Phase {
  if (!said.some(({ subtype }) => subtype === 'init')) return 'before init';
  const uuids = new Set(said.map(({ uuid }) => uuid));
  const isTold = (line: Line) => line.type === 'assistant' || has(line, 'tool_result');
  if (stored.some((line) => isTold(line) && !uuids.has(line.uuid))) return 'between write and emit';
  const last = said.at(-1) as Line;
  if (isResult(last)) return said.filter(isResult).length < SWEEP_TURNS ? 'between turns' : 'after the last result';
  if (has(last, 'tool_result')) return 'tool result';
  if (last.type === 'system') return 'waiting for the model';
  return hasOpenCall(said) && !isDelta(last) ? 'tool running' : 'streaming';
}

function isDelta({ event }: Line): boolean {
  return event !== undefined && !['message_stop', 'message_delta', 'content_block_stop'].includes(event.type);
}

function hasOpenCall(said: readonly Line[]): boolean {
  const blocks = said.flatMap(({ message }) => blocksOf(message));
  const answered = new Set(blocks.map(({ tool_use_id }) => tool_use_id));
  return blocks.some(({ type, id }) => type === 'tool_use' && !answered.has(id));
}

function has({ message }: Line, type: string): boolean {
  return blocksOf(message).some((block) => block.type === type);
}
