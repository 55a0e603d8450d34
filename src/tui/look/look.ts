import type { Change } from '../../view/changes.ts';
import type { Row } from '../rows/row.ts';
import type { Size } from '../screen/screen.ts';
import type { LookView, StatusLineState } from '../stage/look-view.ts';
import type { Stage } from '../stage/stage.ts';
import { StatusLine } from './status-line.ts';

export interface LookParts {
  readonly stage: Stage;
  /** The window as it is now. */
  readonly size: () => Size;
}

/** After these blocks a status line has something new to tell. */
const TELLING: ReadonlySet<string> = new Set(['answer', 'compaction', 'branch', 'result']);

/** What the terminal looks like, as the person has set it. */
export class Look implements LookView {
  readonly #stage: Stage;
  readonly #statusLine: StatusLine;
  #told = '';

  constructor({ stage, size }: LookParts) {
    this.#stage = stage;
    this.#statusLine = new StatusLine(stage, size);
  }

  get statusLine(): StatusLineState {
    return this.#statusLine.state;
  }

  /** A session is open, the first one or another. */
  opened(): void {
    this.#statusLine.again();
  }

  /** Something of the session has changed. */
  saw(changes: readonly Change[]): void {
    if (changes.some((change) => change.type === 'done' && TELLING.has(change.block.kind))) this.#statusLine.wanted();
  }

  /** The live rows are about to be drawn. */
  update(): void {
    const { mode, model, effort, title, cwd } = this.#stage.tracker.view.info;
    const told = [mode, model, effort, title, cwd, this.#stage.context.width].join('\n');
    if (told === this.#told) return;
    this.#told = told;
    this.#statusLine.wanted();
  }

  statusRows(): Row[] {
    return this.#statusLine.rows(this.#stage.context);
  }

  close(): void {
    this.#statusLine.close();
  }
}
