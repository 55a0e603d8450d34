import type { View } from '../../view/view.ts';
import { todoRow } from '../rows/blocks/block-to-rows.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import { agentRows } from '../rows/live/doing-rows.ts';
import type { Row } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';

/** As many todos as stand below the head without being cut. */
const TODOS = 4;

/** The rows above the editor that tell what is going on: the todo list where the person wants it, else running agents. */
export class Panel {
  #hasTodos = false;

  /** Opens the todo list, or closes it. */
  toggleTodos(): void {
    this.#hasTodos = !this.#hasTodos;
  }

  rows(view: Pick<View, 'todos' | 'tasks' | 'calls'>, context: RowContext): Row[] {
    return this.#hasTodos && view.todos.length > 0 ? todoRows(view.todos, context) : agentRows(view, context);
  }
}

/** From the first one on that is not done. */
function todoRows(todos: View['todos'], context: RowContext): Row[] {
  const done = todos.filter(({ status }) => status === 'completed').length;
  const first = todos.findIndex(({ status }) => status !== 'completed');
  const from = Math.max(0, Math.min(first === -1 ? todos.length : first, todos.length - TODOS));
  const head = `todos \u00b7 ${done} of ${todos.length} done \u00b7 ctrl+t closes`;
  return [
    headRow(context, [{ text: head, styles: ['dim'] }]),
    ...todos.slice(from).map((todo) => todoRow(todo, context)),
  ];
}
