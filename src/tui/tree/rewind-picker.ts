import { askChoice, type Way } from '../pickers/ask-choice.ts';
import { belowRow, ListPicker } from '../pickers/list-picker.ts';
import type { Row } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Stage } from '../stage/stage.ts';
import { BranchTree, branchCount, type Turn } from './branch-tree.ts';
import { changesText, printSwitch, promptText, reporting } from './tree-moves.ts';
import { clock } from './tree-rows.ts';

const PAGE = 3000;

/** The prompts of the branch, the newest first, with what going back would change in files. */
export class RewindPicker {
  readonly #stage: Stage;
  readonly #list: ListPicker<Turn>;
  readonly #changes = new Map<string, ReturnType<typeof changesText>>();
  /** Branches whose prompts are not in this list. */
  #others = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#list = new ListPicker<Turn>({
      title: () => (this.#others === 0 ? 'Back to before' : `Back to before \u00b7 ${besides(this.#others)}: /tree`),
      hint: 'enter chooses what goes back \u00b7 esc leaves',
      empty: 'no prompt fits',
      screen: () => stage.context,
      spans: (turn) => [{ text: safeLine(turn.text) }, { text: clock(turn.at), styles: ['dim'] }],
      words: ({ text }) => text,
      choose: (turn) => this.#choose(turn),
      below: (turn) => this.#below(turn),
    });
  }

  /** False: the branch has no prompt. */
  async open(): Promise<boolean> {
    const tree = new BranchTree();
    for (let offset = 0; offset === 0 || tree.read < tree.total; offset = tree.read) {
      const page = await this.#stage.call({ subtype: 'session_tree', offset, limit: PAGE });
      tree.add(page);
      if (tree.read === offset) break;
    }
    const turns: Turn[] = [];
    for (let turn = tree.here; turn; turn = turn.parent) turns.push(turn);
    if (turns.length === 0) return false;
    this.#others = Math.max(0, branchCount(tree.stretches()) - 1);
    this.#list.use(turns);
    this.#stage.pick(this.#list);
    return true;
  }

  #below(turn: Turn | null): readonly Row[] {
    if (!turn) return [];
    const known = this.#changes.get(turn.uuid);
    if (!known) void this.#ask(turn);
    return [belowRow(`files: ${known?.text ?? '\u2026'}`, this.#stage.context)];
  }

  /** The dry run of the highlighted prompt. */
  async #ask({ uuid }: Turn): Promise<void> {
    this.#changes.set(uuid, { text: '\u2026', isPossible: false });
    const asked = { subtype: 'rewind_files', user_message_id: uuid, dry_run: true };
    const files = await this.#stage.call(asked).catch((error) => ({ canRewind: false, error: String(error.message) }));
    this.#changes.set(uuid, changesText(files));
    this.#stage.changed();
  }

  #choose(turn: Turn): void {
    const stage = this.#stage;
    if (stage.isBusy) {
      stage.notify('Not while a turn runs: esc interrupts it.');
      return;
    }
    const files = this.#changes.get(turn.uuid);
    const withFiles: Way[] = [
      {
        text: 'Files only',
        detail: `${files?.text ?? ''}; the conversation stays`,
        run: () => void reporting(stage, () => this.#restore(turn)),
      },
      {
        text: 'Both',
        detail: 'what commands have changed elsewhere stays',
        run: () => void reporting(stage, () => this.#restore(turn).then(() => this.#goBack(turn))),
      },
    ];
    askChoice(stage, `Back to before \u201c${safeLine(turn.text)}\u201d`, [
      {
        text: 'The conversation only',
        detail: 'the prompt comes into the editor; files stay as they are',
        run: () => void reporting(stage, () => this.#goBack(turn)),
      },
      ...(files?.isPossible ? withFiles : []),
    ]);
  }

  async #restore({ uuid }: Turn): Promise<void> {
    const files = await this.#stage.call({ subtype: 'rewind_files', user_message_id: uuid });
    const { text, isPossible } = changesText(files);
    if (!isPossible) throw new Error(text);
    this.#stage.print([`files as before that prompt: ${text}`], 'dim');
  }

  /** The branch stays in the tree, from where one can come back to it. */
  async #goBack(turn: Turn): Promise<void> {
    const stage = this.#stage;
    const text = await promptText(stage, turn);
    if (turn.parentUuid === null) stage.draftBeside(text, { parentUuid: null, title: turn.text });
    else {
      await stage.call({ subtype: 'switch_leaf', leaf_uuid: turn.parentUuid });
      printSwitch(stage, { title: turn.parent?.text ?? '', at: turn.parent?.at ?? 0, left: 0 });
      stage.draft(text);
    }
  }
}

function besides(others: number): string {
  return others === 1 ? '1 other branch' : `${others} other branches`;
}
