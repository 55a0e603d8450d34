import { describe, expect, test } from 'vitest';
import { toolSummaryLine } from '../../../src/agent/calls/tool-summary.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { parseMessage } from '../../../src/wire/messages/index.ts';
import { createRig, fakeTool, kindsOf } from '../support.ts';

type Use = [name: string, input: Record<string, unknown>];

function summaryOf(...uses: Use[]): string {
  const calls = uses.map(([name, input], i) => ({
    block: { type: 'tool_use' as const, id: `t${i}`, name, input },
    assistantUuid: 'a1',
  }));
  return String((toolSummaryLine(createRig([]).turn, calls) as { summary?: unknown }).summary);
}

const reads = (...paths: string[]) => paths.map((path): Use => ['Read', { file_path: path }]);

describe('the line that sums up a round', () => {
  test('[FLD-35] groups the calls by tool, each with what it is about', () => {
    expect(summaryOf(...reads('a.ts', 'b.ts'), ['Bash', { command: 'npm test' }])).toBe(
      'Read a.ts and b.ts, Bash npm test',
    );
    expect(summaryOf(...reads('a', 'b', 'c'))).toBe('Read a, b and c');
    expect(summaryOf(...reads('a', 'b', 'c', 'd'))).toBe('Read a, b and 2 more');
  });

  test('is one short line, whatever the input', () => {
    expect(summaryOf(['Bash', { command: `echo ${'x'.repeat(100)}\nrm -r y` }])).toBe(`Bash echo ${'x'.repeat(55)}…`);
    expect(summaryOf(['Stop', { count: 3 }])).toBe('Stop');
    expect(summaryOf(['Stop', {}], ['Stop', {}])).toBe('Stop');
  });

  test('[MSG-20, FLD-35] follows the results of each round when it is asked for, and names the calls', async () => {
    const script = [[toolUse('look', { text: 'left' }, 't1'), toolUse('look', { text: 'right' }, 't2')], 'done'];
    const rig = createRig(script, { tools: [fakeTool('look')] });
    Object.assign(rig.turn, { summaries: true });
    await rig.ask('go');
    expect(kindsOf(rig.lines)).toEqual([
      ...['assistant', 'assistant', 'user', 'user', 'tool_use_summary', 'assistant'],
    ]);
    const line = rig.lines[4];
    expect(line).toMatchObject({ summary: 'look left and right', preceding_tool_use_ids: ['t1', 't2'] });
    expect(parseMessage(line)).toMatchObject({ ok: true });
    expect((await rig.entries()).map(({ type }) => type)).not.toContain('tool_use_summary');
  });

  test('[MSG-20] is not there otherwise', async () => {
    const rig = createRig([toolUse('look', {}), 'done'], { tools: [fakeTool('look')] });
    await rig.ask('go');
    expect(kindsOf(rig.lines)).not.toContain('tool_use_summary');
  });
});
