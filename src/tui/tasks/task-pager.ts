import { isObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { TaskView } from '../../view/view.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import { EMPTY_ROW, outputRow, type Row } from '../rows/row.ts';
import { expandTabs, safeText } from '../rows/safe-text.ts';
import type { Size } from '../screen/screen.ts';
import type { Pager } from '../stage/pager.ts';
import type { Stage } from '../stage/stage.ts';
import { taskText } from './task-rows.ts';

const LOOK_MS = 1000;

/** The end of a task's output, and the file that has all of it. */
export async function readTask(id: string, stage: Stage): Promise<{ output: string; file: string; status: string }> {
  const answer = await stage.call({ subtype: 'get_task_output', task_id: id });
  const task = isObject(answer.task) ? answer.task : {};
  return {
    output: stringField(task, 'output') ?? '',
    file: stringField(answer, 'output_file') ?? '',
    status: stringField(task, 'status') ?? '',
  };
}

/** Follows the output of a task: new rows come at the end as long as one stands there. */
export class TaskPager implements Pager {
  readonly takesText = false;
  readonly #task: TaskView;
  readonly #stage: Stage;
  #lines: string[] = [];
  #status = '';
  #file = '';
  /** The first row that is shown; null: the last ones are. */
  #top: number | null = null;
  #room = 1;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(task: TaskView, stage: Stage) {
    this.#task = task;
    this.#stage = stage;
  }

  /** Reads the output, and again every second while the task runs. */
  start(): void {
    readTask(this.#task.id, this.#stage)
      .then(({ output, file, status }) => {
        this.#lines = output.replaceAll('\r\n', '\n').trimEnd().split('\n');
        this.#file = file;
        this.#status = status;
      })
      .catch((error) => {
        this.#lines = [messageOf(error)];
        this.#status = 'failed';
      })
      .finally(() => {
        if (this.#isClosed) return;
        this.#stage.changed();
        if (this.#status === 'running') this.#timer = setTimeout(() => this.start(), LOOK_MS);
      });
  }

  rows({ rows: most }: Size): readonly Row[] {
    const { context } = this.#stage;
    this.#room = Math.max(1, most - 2);
    const last = Math.max(0, this.#lines.length - this.#room);
    const top = Math.min(this.#top ?? last, last);
    const shown = this.#lines
      .slice(top, top + this.#room)
      .map((line) => outputRow(line, context.palette, (text) => expandTabs(safeText(text))));
    const where = `${top + 1} to ${top + shown.length} of ${this.#lines.length} \u00b7 q leaves${this.#file === '' ? '' : ` \u00b7 all of it: ${this.#file}`}`;
    return [
      headRow(context, [
        { text: `${taskText(this.#task, this.#stage.now())} \u00b7 ${this.#status}`, styles: ['strong'] },
      ]),
      ...shown,
      ...Array.from({ length: this.#room - shown.length }, () => EMPTY_ROW),
      headRow(context, [{ text: where, styles: ['dim'] }]),
    ].slice(0, most);
  }

  take({ key }: { key: string }): void {
    const last = Math.max(0, this.#lines.length - this.#room);
    const top = this.#top ?? last;
    const steps: Readonly<Record<string, number>> = {
      ...{ j: 1, down: 1, k: -1, up: -1, d: this.#room / 2, u: -this.#room / 2 },
      ...{ space: this.#room, f: this.#room, pagedown: this.#room, b: -this.#room, pageup: -this.#room },
      ...{
        g: -this.#lines.length,
        home: -this.#lines.length,
        G: this.#lines.length,
        'shift+g': this.#lines.length,
        end: this.#lines.length,
      },
    };
    const next = Math.max(0, top + Math.floor(steps[key] ?? 0));
    this.#top = next >= last ? null : next;
  }

  closed(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }
}
