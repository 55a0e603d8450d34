import type { Block, CallBlock, LiveBlock } from '../../../view/blocks.ts';
import type { Row } from '../row.ts';
import { plural } from './amounts.ts';
import type { BlockContext } from './block-context.ts';
import { callRows, headRow } from './call-rows.ts';
import { callSubject } from './call-text.ts';

/** Calls that only look: several of one round are one row. What each of them counts. */
const LOOKING: Readonly<Record<string, string>> = {
  ...{ Read: 'file', Glob: 'pattern', Grep: 'pattern', WebFetch: 'page', WebSearch: 'question' },
};

/** The first blocks that stand for one row together: calls of one tool that only look, and all of them well. */
export function groupOf(blocks: readonly Block[]): CallBlock[] {
  const [first] = blocks;
  if (!first || !isLooking(first)) return [];
  const end = blocks.findIndex((block) => !isLooking(block) || block.call.name !== first.call.name);
  return blocks.slice(0, end < 0 ? undefined : end).filter(isLooking);
}

/** Whether the group still grows: a call of its tool is the next in the order of the conversation. */
export function isGroupOpen([first]: readonly CallBlock[], live: readonly LiveBlock[]): boolean {
  const [next] = live;
  return next?.kind === 'call' && next.call.name === first?.call.name;
}

/** One row for the group: how many, and the first of their subjects. */
export function groupRows(group: readonly CallBlock[], context: BlockContext): Row[] {
  const [first] = group;
  if (!first || group.length === 1) return group.flatMap((block) => callRows(block, context));
  const { name } = first.call;
  const subjects = [...new Set(group.map(({ call }) => callSubject(call, context.cwd)))];
  // Counted by what they look at: a file that is read twice is one file.
  const count = name === 'Read' ? subjects.length : group.length;
  const row = headRow(context, [
    { text: '\u25cf ', styles: ['good'] },
    { text: name, styles: ['strong'] },
    { text: ` ${plural(count, LOOKING[name] ?? 'call')}` },
    { text: ` \u00b7 ${subjects.join(', ')}`, styles: ['dim'] },
  ]);
  return [row];
}

function isLooking(block: Block): block is CallBlock {
  return block.kind === 'call' && block.outcome === 'done' && Object.hasOwn(LOOKING, block.call.name);
}
