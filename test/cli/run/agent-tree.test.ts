import { expect, test } from 'vitest';
import { createAgentTree } from '../../../src/cli/run/agent-tree.ts';

const started = (id: string, run: string, more: object = {}) => ({
  type: 'system',
  subtype: 'task_started',
  task_id: id,
  run_id: run,
  description: `work of ${id}`,
  subagent_type: 'Explore',
  ...more,
});
const ended = (run: string, status: string, cost_usd: number) => ({
  type: 'system',
  subtype: 'task_updated',
  run_id: run,
  patch: { status },
  usage: { total_tokens: 10, tool_uses: 1, duration_ms: 1, cost_usd },
});
const result = (total_cost_usd: number) => ({ type: 'result', total_cost_usd });

test('agents stand below the one that has started them, with their own cost; runs of one are told apart', () => {
  const tree = createAgentTree({ isResumed: false });
  const lines = [
    started('a1', 'r1'),
    started('a2', 'r2', { parent_task_id: 'a1' }),
    { ...started('b1', 'r3'), subagent_type: undefined }, // a command
    started('a3', 'r4'),
    ended('r2', 'failed', 0.25),
    ended('r1', 'completed', 0.5),
    started('a1', 'r5'),
    result(2),
    ended('r5', 'completed', 0.125),
    result(2.125),
  ];
  for (const line of lines) tree.note(line);
  expect(tree.lines()).toEqual([
    'main thread: $1.250000',
    '├─ Explore a1 "work of a1": completed, 1 tool use, 10 tokens, $0.500000',
    '├─ Explore a3 "work of a3": running, 0 tool uses, 0 tokens, $0.000000',
    '└─ Explore a1 "work of a1": completed, 1 tool use, 10 tokens, $0.125000',
    '   └─ Explore a2 "work of a2": failed, 1 tool use, 10 tokens, $0.250000',
    'total: $2.125000',
  ]);
});

test('a run without agents has no tree; what a session had cost before is with the main thread', () => {
  const tree = createAgentTree({ isResumed: true });
  tree.note(result(1));
  expect(tree.lines()).toEqual([]);
  tree.note(started('a1', 'r1'));
  expect(tree.lines()[0]).toBe('main thread, with the session before: $1.000000');
});
