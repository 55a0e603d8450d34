import type { TaskView } from '../../view/view.ts';
import { plural, shortCost, shortCount, shortTime } from '../rows/blocks/amounts.ts';
import { safeLine } from '../rows/safe-text.ts';

/** A task in the tree of those that it works for. */
export interface TaskLine {
  task: TaskView;
  depth: number;
}

/** Tasks below the task that started them, in the order of their start. One without a known parent stands on top. */
export function taskTree(tasks: readonly TaskView[]): TaskLine[] {
  const known = new Set(tasks.map(({ id }) => id));
  const seen = new Set<string>();
  const below = (parent: string | null, depth: number): TaskLine[] =>
    tasks
      .filter(
        ({ id, parentId }) => !seen.has(id) && (parentId !== null && known.has(parentId) ? parentId : null) === parent,
      )
      .flatMap((task) => {
        seen.add(task.id);
        return [{ task, depth }, ...below(task.id, depth + 1)];
      });
  const tree = below(null, 0);
  // Tasks that are each other's parents are damage; they are shown all the same.
  return [...tree, ...tasks.filter(({ id }) => !seen.has(id)).map((task) => ({ task, depth: 0 }))];
}

/** What it is and how far it is: `a1b2c3 Explore "find the parser" · 12 calls · Read · 4.1k tokens · $0.02 · 38 s`. */
export function taskText(
  { id, agent, description, calls, lastTool, tokens, costUsd, startedAt }: TaskView,
  now: number,
): string {
  const what = agent === null ? safeLine(description) : `${safeLine(agent)} "${safeLine(description)}"`;
  const figures = [
    ...(calls > 0 ? [plural(calls, 'call')] : []),
    ...(lastTool ? [safeLine(lastTool)] : []),
    ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ...(costUsd > 0 ? [shortCost(costUsd)] : []),
    shortTime(now - startedAt),
  ];
  return [`${safeLine(id.slice(0, 8))} ${what}`, ...figures].join(' \u00b7 ');
}
