import type { Picker } from '../stage/picker.ts';
import type { Stage } from '../stage/stage.ts';
import { PlainPicker } from './plain-picker.ts';

/** What a list shows may still be read when it opens. */
const QUIET_MS = 120;
/** A list that changes later is not printed again. */
const CHANGES_MS = 2000;

interface OpenList {
  readonly picker: Picker;
  readonly plain: PlainPicker;
  readonly openedAt: number;
  printed: string;
  timer: NodeJS.Timeout | null;
}

/** The list that is open: printed when its items have come, and changed by lines of the person. */
export class PlainLists {
  readonly #stage: Pick<Stage, 'now'>;
  readonly #screen: { columns: () => number; print: (lines: readonly string[]) => void };
  #open: OpenList | null = null;

  constructor(stage: Pick<Stage, 'now'>, screen: { columns: () => number; print: (lines: readonly string[]) => void }) {
    this.#stage = stage;
    this.#screen = screen;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  open(picker: Picker): void {
    this.#open?.picker.closed();
    const plain = new PlainPicker(picker, this.#screen.columns());
    this.#open = { picker, plain, openedAt: this.#stage.now(), printed: '', timer: null };
    this.changed();
  }

  /** Something has changed: perhaps there are more items. */
  changed(): void {
    const open = this.#open;
    if (!open || open.timer || this.#stage.now() - open.openedAt > CHANGES_MS) return;
    open.timer = setTimeout(() => {
      open.timer = null;
      if (this.#open === open) this.#print(open, open.plain.lines());
    }, QUIET_MS);
  }

  take(text: string): void {
    const open = this.#open;
    const lines = open?.plain.take(text);
    if (!open || lines === null) this.close();
    else if (lines && lines.length > 0) this.#screen.print(lines);
    // The key may have changed the list, which then stays open.
    else if (this.#open === open) this.#print(open, open.plain.lines());
  }

  /** The person leaves it. */
  close(): void {
    const open = this.#open;
    this.#open = null;
    open?.picker.closed();
  }

  /** It is over by itself. */
  forget(): void {
    this.#open = null;
  }

  #print(open: OpenList, lines: readonly string[]): void {
    if (lines.join('\n') === open.printed) return;
    open.printed = lines.join('\n');
    this.#screen.print(['', ...lines]);
  }
}
