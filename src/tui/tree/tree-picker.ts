import type { Context } from '../focus/default-keys.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Span } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Size } from '../screen/screen.ts';
import type { Picker, PickerInput } from '../stage/picker.ts';
import type { Stage } from '../stage/stage.ts';
import { BranchTree, branchCount, type Segment } from './branch-tree.ts';
import { compareBranches } from './compare-branches.ts';
import { editPrompt, forkAt, goBehind, goWithFiles, type TreePosition } from './tree-moves.ts';
import { type Depth, type TreeRow, textOfTreeRow, treeRows, treeSpans } from './tree-rows.ts';

const PAGE = 3000;
const HINT =
  'enter go on \u00b7 e edit and resend \u00b7 r with files \u00b7 f fork \u00b7 d compare \u00b7 \u2190\u2192 fold \u00b7 / search \u00b7 tab prompts';

/** The tree of the session: a line is a stretch without branches, which opens into its prompts and messages. */
export class TreePicker implements Picker {
  readonly context: Context = 'Tree';
  readonly #stage: Stage;
  readonly #tree = new BranchTree();
  readonly #depths = new Map<string, Depth>();
  #every: Depth = 0;
  #stretches: Segment[] = [];
  #rows: TreeRow[] = [];
  #selected = 0;
  #top = 0;
  #height = 1;
  #search: string | null = null;
  #asking: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get hint(): string {
    return this.#search === null ? HINT : 'enter ends the search';
  }

  /** Resolves when the first rows are there. False: the session has no message yet. */
  async open(): Promise<boolean> {
    await this.#readPage();
    if (this.#rows.length === 0) return false;
    const { here } = this.#tree;
    this.#selected = Math.max(
      0,
      this.#rows.findIndex(({ stretch }) => here !== null && stretch.turns.includes(here)),
    );
    this.#stage.pick(this);
    return true;
  }

  rows({ rows }: Size): RowsWithCaret {
    const { context } = this.#stage;
    this.#height = Math.max(1, rows - 1);
    this.#top = Math.min(Math.max(this.#top, this.#selected - this.#height + 1), this.#selected);
    const seen = { here: this.#tree.here, leaf: this.#tree.leaf };
    const shown = this.#rows.slice(this.#top, this.#top + this.#height).map((row, at) => {
      const isSelected = this.#top + at === this.#selected;
      const mark: Span = { text: isSelected ? '\u276f ' : '  ', styles: ['accent'] };
      const spans = treeSpans(row, seen);
      return headRow(context, [mark, ...(isSelected ? spans.map(strong) : spans)]);
    });
    const at = this.#selected - this.#top;
    return {
      rows: [headRow(context, this.#headSpans()), ...shown],
      caret: { row: Math.min(at + 1, shown.length), before: headRow(context, []) },
    };
  }

  take({ action, key = '', text }: PickerInput): void {
    if (this.#search !== null) this.#typeSearch(this.#search, text ?? key);
    else if (action?.startsWith('tree:')) this.#act(action);
    else if (action !== null) void this.#move(action);
    else if (key === 'n') this.#find(1);
    else if (key === 'N' || key === 'shift+n') this.#find(-1);
  }

  closed(): void {
    this.#isClosed = true;
  }

  #act(action: string): void {
    const row = this.#rows[this.#selected];
    if (!row) return;
    if (action === 'tree:unfold') this.#fold(row, 1);
    else if (action === 'tree:fold') this.#fold(row, -1);
    else if (action === 'tree:filter') this.#nextDepth(row);
    else if (action === 'tree:search') this.#search = '';
    else if (action === 'tree:diff') void compareBranches(this.#stage, this.#tree, row);
    else this.#leaveFor(action, placeOf(row, this.#tree));
  }

  /** What ends the list, and acts on the session. */
  #leaveFor(action: string, place: TreePosition): void {
    const moves: Readonly<Record<string, (stage: Stage, place: TreePosition) => void>> = {
      'tree:open': place.isPrompt ? editPrompt : goBehind,
      'tree:edit': editPrompt,
      'tree:files': goWithFiles,
      'tree:fork': forkAt,
    };
    const move = moves[action];
    if (!move) {
      this.#stage.notify('Labels are not there yet.');
      return;
    }
    this.#stage.stopPicking();
    this.#isClosed = true;
    move(this.#stage, place);
  }

  /** Opens a line into its prompts, then into all messages; closes it again. */
  #fold({ stretch, kind }: TreeRow, by: 1 | -1): void {
    const id = stretch.turns[0]?.uuid ?? '';
    const depth = this.#depths.get(id) ?? this.#every;
    const next = kind !== 'line' && by < 0 ? 0 : Math.min(2, Math.max(0, depth + by));
    this.#depths.set(id, next as Depth);
    this.#lay(stretch);
  }

  #nextDepth({ stretch }: TreeRow): void {
    this.#every = ((this.#every + 1) % 3) as Depth;
    this.#depths.clear();
    this.#lay(stretch);
  }

  /** The rows again; the line that was meant stays highlighted. */
  #lay(at: Segment | null): void {
    const first = at?.turns[0]?.uuid;
    this.#rows = treeRows(this.#stretches, ({ turns }) => this.#depths.get(turns[0]?.uuid ?? '') ?? this.#every);
    const index = this.#rows.findIndex(({ kind, stretch }) => kind === 'line' && stretch.turns[0]?.uuid === first);
    if (index >= 0) this.#selected = index;
    this.#selected = Math.min(this.#selected, Math.max(0, this.#rows.length - 1));
  }

  async #move(action: string): Promise<void> {
    const steps: Readonly<Record<string, number>> = {
      ...{ 'select:next': 1, 'select:previous': -1, 'select:pageDown': this.#height, 'select:pageUp': -this.#height },
      ...{ 'select:first': -Infinity, 'select:last': Infinity },
    };
    const by = steps[action];
    if (by === undefined) return;
    const wanted = this.#selected + by;
    while (wanted >= this.#rows.length && (await this.#readPage()) && by === Infinity);
    this.#selected = Math.min(Math.max(0, wanted), Math.max(0, this.#rows.length - 1));
    this.#stage.changed();
  }

  #typeSearch(typed: string, key: string): void {
    if (key === 'enter') this.#search = null;
    else if (key === 'backspace') this.#search = [...typed].slice(0, -1).join('');
    else if ([...key].length === 1) this.#search = typed + key;
    else if (key === 'space') this.#search = `${typed} `;
    if (this.#search !== null) this.#words = this.#search;
    this.#find(0);
  }

  #words = '';

  /** The next row with the words; 0: the present one counts, too. */
  #find(by: 0 | 1 | -1): void {
    const wanted = this.#words.toLowerCase();
    const count = this.#rows.length;
    for (let step = by === 0 ? 0 : 1; wanted !== '' && step < count; step++) {
      const at = (this.#selected + step * (by < 0 ? -1 : 1) + count) % count;
      const row = this.#rows[at];
      if (!row || !textOfTreeRow(row).toLowerCase().includes(wanted)) continue;
      this.#selected = at;
      return;
    }
  }

  /** Three thousand entries more. False: there are none. */
  #readPage(): Promise<boolean> {
    const { read, total } = this.#tree;
    if (this.#isClosed || (read > 0 && read >= total)) return Promise.resolve(false);
    this.#asking ??= this.#askPage(read).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askPage(offset: number): Promise<boolean> {
    const page = await this.#stage.call({ subtype: 'session_tree', offset, limit: PAGE });
    const before = this.#tree.read;
    this.#tree.add(page);
    this.#stretches = this.#tree.stretches();
    this.#lay(this.#rows[this.#selected]?.stretch ?? null);
    return this.#tree.read > before;
  }

  #headSpans(): Span[] {
    if (this.#search !== null) return [{ text: `/${safeLine(this.#search)}` }];
    const { meters, info } = this.#stage.tracker.view;
    const branches = branchCount(this.#stretches);
    const { read, total } = this.#tree;
    const title = info.title ?? this.#stretches[0]?.turns[0]?.text ?? '';
    const details = [
      `${branches} branch${branches === 1 ? '' : 'es'}`,
      ...(meters.costUsd > 0 ? [`$${meters.costUsd.toFixed(4)}`] : []),
      ...(read < total ? [`${read} of ${total} entries, end reads on`] : []),
    ];
    return [
      { text: safeLine(title), styles: ['strong'] },
      { text: ` \u00b7 ${details.join(' \u00b7 ')}`, styles: ['dim'] },
    ];
  }
}

function strong(span: Span): Span {
  return { ...span, styles: ['strong'] };
}

/** What a row stands for: a prompt, or the end of what follows one. */
function placeOf(row: TreeRow, tree: BranchTree): TreePosition {
  const last = row.stretch.turns.at(-1);
  const first = row.stretch.turns[0];
  if (row.kind === 'prompt') return { isPrompt: true, prompt: row.turn, end: tree.endOf(row.turn), tree };
  if (row.kind === 'message') return { isPrompt: false, prompt: row.turn, end: row.message.uuid, tree };
  return { isPrompt: false, prompt: first ?? null, end: last ? tree.endOf(last) : '', tree };
}
