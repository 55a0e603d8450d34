import { messageOf } from '../../util/message-of.ts';
import type { TaskView } from '../../view/view.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { toRow } from '../rows/row.ts';
import type { Size } from '../screen/screen.ts';
import type { Picker, PickerInput } from '../stage/picker.ts';
import type { Stage } from '../stage/stage.ts';
import { readTask, TaskPager } from './task-pager.ts';
import { type TaskLine, taskText, taskTree } from './task-rows.ts';

/** The tasks that run, as a tree with live figures. Those that end while it is open stay in it, dim. */
export class TaskPicker implements Picker {
  readonly context = 'Select';
  readonly #stage: Stage;
  /** Every task that was seen since it was opened. */
  readonly #seen = new Map<string, TaskView>();
  #selected: string | null = null;
  /** The task that the next `x` stops. */
  #stopping: string | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get hint(): string {
    if (this.#stopping !== null) return 'x again: stops it';
    return 'enter: output \u00b7 x: stop \u00b7 b: background \u00b7 c: file \u00b7 esc';
  }

  rows({ rows: most }: Size): RowsWithCaret {
    const { context, tracker } = this.#stage;
    const lines = this.#lines();
    const at = Math.max(
      0,
      lines.findIndex(({ task }) => task.id === this.#selected),
    );
    this.#selected = lines[at]?.task.id ?? null;
    const room = Math.max(1, most - 1);
    const from = Math.max(0, Math.min(at - Math.floor(room / 2), lines.length - room));
    const running = new Set(tracker.view.tasks.map(({ id }) => id));
    const shown = lines.slice(from, from + room).map(({ task, depth }) => {
      const isSelected = task.id === this.#selected;
      const isOver = !running.has(task.id);
      const text = isOver
        ? `${taskText(task, task.startedAt).replace(/ \u00b7 0 s$/, '')} \u00b7 ended`
        : taskText(task, this.#stage.now());
      const styles = isOver ? (['dim'] as const) : isSelected ? (['strong'] as const) : [];
      return headRow(context, [{ text: `${isSelected ? '\u276f' : ' '} ${'  '.repeat(depth)}${text}`, styles }]);
    });
    const count = toRow([{ text: `${running.size} running`, styles: ['dim'] }], context.palette);
    return { rows: [count, ...shown], caret: { row: at - from + 1, before: toRow([], context.palette) } };
  }

  take({ action, text }: PickerInput): void {
    const lines = this.#lines();
    const at = Math.max(
      0,
      lines.findIndex(({ task }) => task.id === this.#selected),
    );
    const selected = lines[at]?.task;
    const stopping = this.#stopping;
    this.#stopping = null;
    if (!selected) return;
    if (action === 'select:accept') this.#follow(selected);
    else if (action !== null) this.#selected = lines[goTo(action, at, lines.length)]?.task.id ?? null;
    else if (text === 'x' && stopping === selected.id)
      this.#try(this.#stage.call({ subtype: 'stop_task', task_id: selected.id }));
    else if (text === 'x') this.#stopping = selected.id;
    else if (text === 'b') this.#try(this.#background(selected));
    else if (text === 'c') this.#try(this.#tellFile(selected));
  }

  closed(): void {}

  #lines(): TaskLine[] {
    for (const task of this.#stage.tracker.view.tasks) this.#seen.set(task.id, { ...task });
    return taskTree([...this.#seen.values()]);
  }

  #follow(task: TaskView): void {
    const pager = new TaskPager(task, this.#stage);
    this.#stage.page(pager);
    pager.start();
  }

  async #background({ callId, isBackground }: TaskView): Promise<void> {
    if (isBackground || callId === null) this.#stage.notify('It is in the background.');
    else await this.#stage.call({ subtype: 'background_tasks', tool_use_id: callId });
  }

  async #tellFile({ id }: TaskView): Promise<void> {
    const { file } = await readTask(id, this.#stage);
    this.#stage.print([file === '' ? 'This task has no file.' : file]);
  }

  #try(work: Promise<unknown>): void {
    work.then(
      () => this.#stage.changed(),
      (error) => this.#stage.notify(messageOf(error)),
    );
  }
}

const PAGE = 10;

function goTo(action: string, at: number, count: number): number {
  const steps: Readonly<Record<string, number>> = {
    ...{ 'select:next': 1, 'select:previous': -1, 'select:pageDown': PAGE, 'select:pageUp': -PAGE },
    ...{ 'select:first': -count, 'select:last': count },
  };
  return Math.min(Math.max(at + (steps[action] ?? 0), 0), count - 1);
}
