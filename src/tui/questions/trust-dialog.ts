import { openPager } from '../pager/open-pager.ts';
import { rowsPart } from '../pager/pager-part.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import type { Row } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import type { Size } from '../screen/screen.ts';
import type { Dialog, DialogInput } from '../stage/dialog.ts';
import type { ProjectTrustView, TrustDecision } from '../stage/trust-decision.ts';
import type { Asking } from './asking.ts';
import { bodyOfRows, fitBody } from './body.ts';
import { ownHeadRows } from './head-rows.ts';
import { Menu, type MenuItem } from './menu.ts';
import { span, spanRows, textRows } from './shown-text.ts';

interface TrustChoice extends MenuItem {
  readonly id: TrustDecision | 'all';
  readonly outcome: string;
}

const CHOICES: readonly TrustChoice[] = [
  { id: 'not-now', text: 'Not now: the project can only forbid', outcome: '\u2717 the project is not trusted' },
  { id: 'always', text: 'Trust it as it is', outcome: '\u2713 the project is trusted as it is' },
  { id: 'session', text: 'Trust it for this session', outcome: '\u2713 the project is trusted for this session' },
];
const ALL: TrustChoice = { id: 'all', key: 'v', text: 'View all of it first', outcome: '' };

/** May what this project brings act? Everything that would is shown in full, and nothing of it has run. */
export class TrustDialog implements Dialog {
  readonly hint = 'digits choose \u00b7 v: all \u00b7 esc: not now';
  readonly takesText = false;
  readonly #view: ProjectTrustView;
  readonly #asking: Asking;
  readonly #menu = new Menu(CHOICES);
  #hasMore = false;
  #pager: { stop(): void } | null = null;

  constructor(view: ProjectTrustView, asking: Asking) {
    this.#view = view;
    this.#asking = asking;
  }

  rows({ rows: most }: Size): RowsWithCaret {
    const { context } = this.#asking.stage;
    const state = this.#view.hasChanged ? 'has changed since you trusted it' : 'is not trusted yet';
    const head = [
      ...ownHeadRows(`This project ${state}`, this.#asking.position, context),
      ...textRows(`directory: ${this.#view.directory}`, { context, style: 'dim' }),
      ...textRows('Were it trusted, this would act:', { context }),
    ];
    const room = Math.max(1, most - head.length - CHOICES.length - 1);
    const { rows, hasMore } = fitBody(bodyOfRows(this.#partRows(context)), room, context);
    if (hasMore !== this.#hasMore) {
      this.#hasMore = hasMore;
      this.#menu.set(hasMore ? [ALL, ...CHOICES] : CHOICES);
      this.#menu.select(hasMore ? 'all' : 'not-now');
    }
    const menu = this.#menu.rows(context);
    const above = [...head, ...rows];
    return {
      rows: [...above, ...menu.rows],
      caret: { row: above.length + menu.caret.row, before: menu.caret.before },
    };
  }

  take(input: DialogInput): void {
    if (input.action === 'confirm:no') this.#decide(CHOICES[0]);
    else if (input.action === 'key' && input.text === 'v') this.#viewAll();
    else {
      const item = this.#menu.take(input)?.item;
      if (item?.id === 'all') this.#viewAll();
      else this.#decide(item);
    }
  }

  closed(): void {
    this.#pager?.stop();
  }

  #decide(choice: TrustChoice | undefined): void {
    if (choice) this.#asking.answer({ decision: choice.id }, { text: choice.outcome });
  }

  #viewAll(): void {
    const { stage } = this.#asking;
    this.#menu.select('not-now');
    const parts = [rowsPart((context) => this.#partRows(context), stage.context)];
    this.#pager = openPager(stage, { title: 'What would act', parts }, () => {
      this.#pager = null;
    });
  }

  /** Each part whole: nothing may be hidden from the person who decides. */
  #partRows(context: RowContext): Row[] {
    return this.#view.files.flatMap(({ file, parts }) => [
      ...textRows(file, { context, style: 'strong' }),
      ...parts.flatMap(({ key, value }) => [
        ...spanRows([span(`${key}:`, 'warning')], { context, indent: 4 }),
        ...textRows(typeof value === 'string' ? value : JSON.stringify(value, null, 2), { context, indent: 6 }),
      ]),
    ]);
  }
}
