import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Block } from '../../view/blocks.ts';
import { blockPart } from '../pager/block-part.ts';
import { openPager } from '../pager/open-pager.ts';
import { type PagerPart, textPart } from '../pager/pager-part.ts';
import { askMessages, blocksOfMessages } from '../pager/transcript.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { cutRow, EMPTY_ROW, type Row, textOfRow, toRow } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import type { BranchTree } from './branch-tree.ts';
import { type TreeRow, textOfTreeRow } from './tree-rows.ts';

const MESSAGES = 500;
/** Narrower windows show the branches one under the other. */
const SIDE_BY_SIDE = 100;

/** The highlighted branch and the one that continues, from where they part, in the pager. */
export async function compareBranches(stage: Stage, tree: BranchTree, row: TreeRow): Promise<void> {
  const last = row.stretch.turns.at(-1);
  const { leaf } = tree;
  if (!last || leaf === null || row.stretch.isHere) {
    stage.notify('Highlight another branch: it is compared with the one that goes on.');
    return;
  }
  try {
    const [here, other] = await Promise.all(
      [leaf, tree.endOf(last)].map((each) => askMessages(stage, { leaf: each, limit: MESSAGES })),
    );
    const [left, right] = apart(here?.messages ?? [], other?.messages ?? []);
    const names = ['here', textOfTreeRow(row)] as const;
    openPager(stage, {
      title: 'two branches from where they part',
      parts: [
        textPart([filesText(names[0], left), filesText(names[1], right)].join('\n')),
        ...(stage.context.width < SIDE_BY_SIDE ? under(names, left, right) : beside(names, left, right)),
      ],
    });
  } catch (error) {
    stage.notify(messageOf(error));
  }
}

/** What the two have each for itself. */
function apart(a: readonly JsonObject[], b: readonly JsonObject[]): [Block[], Block[]] {
  const ofA = new Set(a.map(({ uuid }) => uuid));
  const ofB = new Set(b.map(({ uuid }) => uuid));
  return [
    blocksOfMessages(a.filter(({ uuid }) => !ofB.has(uuid))),
    blocksOfMessages(b.filter(({ uuid }) => !ofA.has(uuid))),
  ];
}

function filesText(name: string, blocks: readonly Block[]): string {
  const files = new Map<string, { added: number; removed: number }>();
  for (const block of blocks) {
    if (block.kind !== 'call' || !block.patch || block.outcome !== 'done') continue;
    const { file, added, removed } = block.patch;
    const before = files.get(file) ?? { added: 0, removed: 0 };
    files.set(file, { added: before.added + added, removed: before.removed + removed });
  }
  const lines = [...files].map(([file, { added, removed }]) => `    ${file} +${added} \u2212${removed}`);
  return [`${name}: ${lines.length === 0 ? 'no file changed' : ''}`, ...lines].join('\n');
}

function under(names: readonly [string, string], left: readonly Block[], right: readonly Block[]): PagerPart[] {
  const titled = (name: string) => textPart(`\n\u2500\u2500 ${name} \u2500\u2500`, { isHead: true });
  return [titled(names[0]), ...left.map(blockPart), titled(names[1]), ...right.map(blockPart)];
}

/** Both as columns; the colours of the left one end at its edge. */
function beside(names: readonly [string, string], left: readonly Block[], right: readonly Block[]): PagerPart[] {
  const sides = [
    [textPart(names[0]), ...left.map(blockPart)],
    [textPart(names[1]), ...right.map(blockPart)],
  ];
  return [
    {
      isHead: true,
      source: sides.map((parts) => parts.map(({ source }) => source).join('\n\n')).join('\n\n'),
      rows(screen, length) {
        const width = Math.floor((screen.width - 3) / 2);
        const columns = sides.map((parts) => parts.flatMap((part) => part.rows({ ...screen, width }, length)));
        const count = Math.max(...columns.map((rows) => rows.length));
        return Array.from({ length: count }, (_, at) =>
          sideBySide(columns[0]?.[at] ?? EMPTY_ROW, columns[1]?.[at] ?? EMPTY_ROW, { ...screen, width }),
        );
      },
    },
  ];
}

function sideBySide(left: Row, right: Row, { width, widths, palette }: BlockContext): Row {
  const cut = cutRow(left, width, widths);
  const blanks = ' '.repeat(Math.max(0, width - widths.of(textOfRow(cut))));
  const between = toRow([{ text: `${blanks} ` }, { text: '\u2502 ', styles: ['dim'] }], palette);
  return (cut + between + cutRow(right, width, widths)) as Row;
}
