import type { CallView } from '../../../view/blocks.ts';
import type { Doing, Queued, View } from '../../../view/view.ts';
import { plural, shortCount, shortTime } from '../blocks/amounts.ts';
import type { BlockContext } from '../blocks/block-context.ts';
import { headRow } from '../blocks/call-rows.ts';
import { callName, callSubject } from '../blocks/call-text.ts';
import { type Row, type Span, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { safeLine } from '../safe-text.ts';

const SPINNER = [...'\u280b\u2819\u2839\u2838\u283c\u2834\u2826\u2827\u2807\u280f'];
const SPINNER_MS = 125;

/** How long before a call shows how long it has taken. */
const WAIT_MS = 2000;

export interface Moment {
  now: number;
  /** No spinner that turns. */
  isCalm: boolean;
}

/** What a call without a result does: the model still writes it, a person is asked about it, or it runs. */
export type CallState = 'written' | 'asked' | 'runs';

/** A call without a result: one row. */
export function liveCallRow(call: CallView, state: CallState, moment: Moment, context: BlockContext): Row {
  const { agent, progress } = call;
  const name = agent ? agent.kind : callName(call.name);
  const elapsed = moment.now - call.startedAt;
  const details = [
    ...(agent ? [plural(agent.calls, 'call')] : []),
    ...(agent?.last ? [`${callName(agent.last.name)} ${callSubject({ ...agent.last, input: {} }, context.cwd)}`] : []),
    ...(agent && agent.tokens > 0 ? [`${shortCount(agent.tokens)} tokens`] : []),
    ...(progress.message !== '' ? [safeLine(progress.message)] : []),
    ...(progress.total !== null && progress.done !== null ? [`${progress.done} of ${progress.total}`] : []),
    ...(state === 'asked' ? ['waits for your answer'] : []),
    ...(state === 'runs' && elapsed > WAIT_MS ? [shortTime(elapsed)] : []),
  ];
  return headRow(context, [
    { text: `${state === 'asked' ? '?' : spinnerAt(moment)} `, styles: ['accent'] },
    { text: name, styles: ['strong'] },
    { text: ` ${callSubject(call, context.cwd)}` },
    ...(details.length > 0 ? [{ text: ` \u00b7 ${details.join(' \u00b7 ')}`, styles: ['dim'] } satisfies Span] : []),
  ]);
}

/** What the turn does while no call runs. */
export function doingRow(
  view: Pick<View, 'phase' | 'doing' | 'meters'>,
  moment: Moment,
  context: RowContext,
): Row | null {
  if (view.phase !== 'busy' && view.phase !== 'compacting') return null;
  const { turnStartedAt, tokens } = view.meters;
  const what = view.phase === 'compacting' ? 'compacting' : doingText(view.doing, moment.now);
  const time = turnStartedAt === null ? [] : [shortTime(moment.now - turnStartedAt)];
  const out = tokens.out > 0 ? [`\u2193${shortCount(tokens.out)}`] : [];
  return headRow(context, [
    { text: `${spinnerAt(moment)} `, styles: ['accent'] },
    { text: what },
    { text: ` \u00b7 ${[...time, ...out, 'esc interrupts'].join(' \u00b7 ')}`, styles: ['dim'] },
  ]);
}

function doingText(doing: Doing | null, now: number): string {
  switch (doing?.what) {
    case undefined:
    case 'requesting':
      return 'waiting for the model';
    case 'thinking':
      return 'thinking';
    case 'writing':
      return 'writing';
    case 'calling':
      return `writing a call of ${callName(doing.tool)}`;
    case 'retry': {
      const wait = Math.max(0, doing.at - now);
      return `retry ${doing.attempt} of ${doing.of}${wait > 0 ? ` in ${shortTime(wait)}` : ''}: ${safeLine(doing.reason)}`;
    }
    case 'hook':
      return `hook ${safeLine(doing.name)}`;
    default:
      throw doing satisfies never;
  }
}

function spinnerAt({ now, isCalm }: Moment): string {
  return isCalm ? '\u25d0' : (SPINNER[Math.floor(now / SPINNER_MS) % SPINNER.length] ?? '');
}

const QUEUE_ROWS = 3;

/** Prompts that wait for their turn. */
export function queueRows(queue: readonly Queued[], context: RowContext): Row[] {
  const rows = queue
    .slice(0, QUEUE_ROWS)
    .map(({ text, attachments }, index) =>
      headRow(context, [
        { text: `\u22ef ${safeLine(text)}`, styles: ['dim'] },
        ...(attachments > 0
          ? [{ text: ` [${plural(attachments, 'attachment')}]`, styles: ['dim'] } satisfies Span]
          : []),
        ...(index === 0 ? [{ text: '   (\u2191 takes back)', styles: ['dim'] } satisfies Span] : []),
      ]),
    );
  const left = queue.length - rows.length;
  if (left > 0) rows.push(toRow([{ text: `  ${left} more`, styles: ['dim'] }], context.palette));
  return rows;
}

const AGENT_ROWS = 3;

/** Agents that run besides the turn; the turn's own ones stand in the rows of their calls. */
export function agentRows({ tasks, calls }: Pick<View, 'tasks' | 'calls'>, context: RowContext): Row[] {
  const agents = tasks.filter(({ agent, callId }) => agent !== null && (callId === null || !calls.has(callId)));
  const rows = agents.slice(0, AGENT_ROWS).map(({ agent, description, calls: count, lastTool, tokens }) => {
    const figures = [
      ...(count > 0 ? [plural(count, 'call')] : []),
      ...(lastTool ? [callName(lastTool)] : []),
      ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ];
    return headRow(context, [
      { text: '\u25d0 ', styles: ['accent'] },
      { text: safeLine(agent ?? ''), styles: ['strong'] },
      { text: ` ${safeLine(description)}` },
      ...(figures.length > 0 ? [{ text: ` \u00b7 ${figures.join(' \u00b7 ')}`, styles: ['dim'] } satisfies Span] : []),
    ]);
  });
  const left = agents.length - rows.length;
  if (left > 0) rows.push(toRow([{ text: `  ${left} more (/tasks)`, styles: ['dim'] }], context.palette));
  return rows;
}

/** Says that the next prompt replaces an earlier one on a branch of its own. */
export function besideRows(beside: { title: string } | null, context: RowContext): Row[] {
  if (!beside) return [];
  const text = `beside \u201c${safeLine(beside.title).trim()}\u201d: sent as another branch \u00b7 esc leaves it`;
  return [headRow(context, [{ text, styles: ['warning'] }])];
}
