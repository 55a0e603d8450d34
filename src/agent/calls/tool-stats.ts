import { isObject } from '../../util/json.ts';
import type { Ledger, ToolStats } from '../ledger.ts';

type Counter = Exclude<keyof ToolStats, 'linesAdded' | 'linesRemoved'>;
const COUNTERS: ReadonlyMap<string, Counter> = new Map([
  ['Read', 'readCount'],
  ['Glob', 'searchCount'],
  ['Grep', 'searchCount'],
  ['Bash', 'bashCount'],
  ['Edit', 'editFileCount'],
  ['MultiEdit', 'editFileCount'],
  ['Write', 'editFileCount'],
  ['NotebookEdit', 'editFileCount'],
]);

/** Counts one call, also in the ledgers of the agents above. `data` is the result in the form for people. */
export function countCall(ledger: Ledger, name: string, data: unknown): void {
  const { added, removed } = linesOf(data);
  for (let each: Ledger | undefined = ledger; each; each = each.parent) {
    const { tools } = each;
    const counter = COUNTERS.get(name) ?? 'otherToolCount';
    tools[counter] = (tools[counter] ?? 0) + 1;
    tools.linesAdded = (tools.linesAdded ?? 0) + added;
    tools.linesRemoved = (tools.linesRemoved ?? 0) + removed;
  }
}

export function toolStats({ tools }: Ledger): ToolStats {
  return {
    ...{ readCount: 0, searchCount: 0, bashCount: 0, editFileCount: 0 },
    ...{ linesAdded: 0, linesRemoved: 0, otherToolCount: 0 },
    ...tools,
  };
}

function linesOf(data: unknown): { added: number; removed: number } {
  if (!isObject(data) || !Array.isArray(data.structuredPatch)) return { added: 0, removed: 0 };
  const isNew = data.type === 'create' && typeof data.content === 'string';
  const lines = data.structuredPatch.flatMap((hunk) => (isObject(hunk) && Array.isArray(hunk.lines) ? hunk.lines : []));
  const marked = (mark: string) => lines.filter((line) => typeof line === 'string' && line.startsWith(mark)).length;
  return { added: marked('+') + (isNew ? lineCount(String(data.content)) : 0), removed: marked('-') };
}

function lineCount(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
