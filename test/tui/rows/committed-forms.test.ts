import { describe, expect, test } from 'vitest';
import { LateRows } from '../../../src/tui/app/late-rows.ts';
import { SessionRows } from '../../../src/tui/app/session-rows.ts';
import { NO_COLOURS } from '../../../src/tui/rows/row.ts';
import { createWidths } from '../../../src/tui/rows/widths.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { createViewTracker } from '../../../src/view/tracker.ts';
import { begun, call, done, result, system } from '../../view/lines.ts';

const context = {
  ...{ width: 79, palette: NO_COLOURS, cwd: '/project', colours: () => null },
  widths: createWidths({ byGraphemes: false, ambiguousWide: false }),
};
const moment = { now: 0, isCalm: true };

/** What stays in the scrollback after these lines, and what is live then. */
function play(...lines: JsonObject[]): { committed: string[]; live: string[] } {
  const tracker = createViewTracker();
  const rows = new SessionRows(context, new LateRows(() => {}));
  let now = 0;
  const committed = lines.flatMap((line) => rows.take(tracker.note(line, now++), tracker.view));
  return { committed: committed.filter((row) => row !== ''), live: rows.live(tracker.view, moment) };
}

const failed = (id: string, content: string): JsonObject => ({
  type: 'user',
  uuid: `r-${id}`,
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: true }] },
});
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n');
const read = (id: string, file = `src/${id}.ts`) => call(id, 'Read', { file_path: `/project/${file}` });

describe('calls that look', () => {
  test('one is a row with its subject and size', () => {
    expect(play(begun('m1'), read('a'), done('a', 'x\ny')).committed).toEqual(['● Read src/a.ts · 2 lines']);
  });

  test('several of one round are one row, when the last of them is over', () => {
    const round = [begun('m1'), read('a'), read('b'), read('c')];
    const early = play(...round, done('a'), done('b'));
    expect(early.committed).toEqual([]);
    expect(early.live[0]).toBe('● Read 2 files · src/a.ts, src/b.ts');
    expect(early.live[1]).toContain('Read src/c.ts');
    const { committed } = play(...round, done('a'), done('b'), done('c'));
    expect(committed).toEqual(['● Read 3 files · src/a.ts, src/b.ts, src/c.ts']);
  });

  test('a failed one, another tool and the next round stand by themselves', () => {
    const grep = (id: string) => call(id, 'Grep', { pattern: id });
    const { committed } = play(
      ...[begun('m1'), read('a'), read('b'), grep('x'), done('a'), failed('b', 'no such file'), done('x', 'one')],
      ...[begun('m2'), grep('y'), grep('z'), done('y'), done('z')],
    );
    expect(committed).toEqual([
      '● Read src/a.ts · 1 line',
      expect.stringMatching(/^✗ Read src\/b\.ts .*failed/),
      '  no such file',
      '● Grep x · 1 line',
      '● Grep 2 patterns · y, z',
    ]);
  });

  test('an interrupted round shows what was read, and of what the outcome is not known', () => {
    const { committed } = play(
      begun('m1'),
      read('a'),
      read('b'),
      done('a'),
      result({ is_error: true, errors: ['gone'] }),
    );
    expect(committed).toEqual([
      '● Read src/a.ts · 1 line',
      expect.stringMatching(/^○ Read src\/b\.ts .*outcome not known/),
      '✗ gone',
    ]);
  });
});

describe('a command', () => {
  const bash = (id: string) => call(id, 'Bash', { command: 'npm test' });

  test('shows its last five rows, and how many there are above', () => {
    const { committed } = play(begun('m1'), bash('a'), done('a', lines(20)));
    expect(committed).toEqual([
      '● Bash npm test',
      '  … 15 rows: ctrl+o',
      ...['16', '17', '18', '19', '20'].map((at) => `  line ${at}`),
    ]);
  });

  test('that failed shows its exit code and ten rows', () => {
    const { committed } = play(begun('m1'), bash('a'), failed('a', `Exit code 3\n${lines(20)}`));
    expect(committed.slice(0, 3)).toEqual(['✗ Bash npm test · exit 3', '  … 10 rows: ctrl+o', '  line 11']);
    expect(committed).toHaveLength(12);
  });
});

test('a command in the background says where it is, and nothing of what the model is told', () => {
  const { committed } = play(
    ...[begun('m1'), call('a', 'Bash', { command: 'sleep 9' })],
    done('a', 'It goes on; read the file /x to see it', { tool_use_result: { backgroundTaskId: 'b1', stdout: '' } }),
  );
  expect(committed).toEqual(['● Bash sleep 9 · in the background: /tasks']);
});

test('a search that shows lines counts lines', () => {
  const data = { mode: 'content', numFiles: 0, filenames: [], numLines: 2 };
  const { committed } = play(
    ...[begun('m1'), call('a', 'Grep', { pattern: 'x' }), done('a', 'a:1:x\nb:2:x', { tool_use_result: data })],
  );
  expect(committed).toEqual(['● Grep x · 2 lines']);
});

test('a change shows up to 30 rows of its diff, and how many are left', () => {
  const hunk = {
    oldStart: 1,
    oldLines: 0,
    newStart: 1,
    newLines: 50,
    lines: lines(50)
      .split('\n')
      .map((each) => `+${each}`),
  };
  const { committed } = play(
    ...[begun('m1'), call('a', 'Edit', { file_path: '/project/a.ts' })],
    done('a', 'ok', { tool_use_result: { filePath: '/project/a.ts', structuredPatch: [hunk] } }),
  );
  expect(committed[0]).toBe('● Edit a.ts +50 −0');
  expect(committed.at(-1)).toMatch(/… 2\d more rows: ctrl\+o/);
  expect(committed.length).toBeLessThanOrEqual(31);
});

test('a call of a server tells server, tool and input, and five rows', () => {
  const { committed } = play(
    ...[begun('m1'), call('a', 'mcp__loom__weave', { colour: 'red', width: 3 }), done('a', lines(9))],
  );
  expect(committed[0]).toBe('● loom: weave {"colour":"red","width":3}');
  expect(committed.at(-1)).toBe('  … 4 rows more: ctrl+o');
  expect(committed).toHaveLength(7);
});

test('an agent is one row: kind, task, calls, tokens; its text is not here', () => {
  const { committed } = play(
    begun('m1'),
    call('a', 'Task', { subagent_type: 'Explore', description: 'find the parser', prompt: 'p' }),
    system('task_started', {
      task_id: 't1',
      tool_use_id: 'a',
      task_type: 'local_agent',
      description: 'find the parser',
    }),
    system('task_progress', {
      task_id: 't1',
      tool_use_id: 'a',
      usage: { total_tokens: 4100, tool_uses: 12, duration_ms: 9 },
    }),
    done('a', 'a long report\nof the agent'),
  );
  expect(committed).toEqual([expect.stringMatching(/^● Explore "find the parser" · 12 calls · 4\.1k tokens/)]);
});

test('a turn that was long tells its time, tokens and cost; a short one nothing', () => {
  const numbers = { duration_ms: 12_000, total_cost_usd: 0.2, usage: { input_tokens: 18_000, output_tokens: 1200 } };
  expect(play(begun('m1'), result(numbers)).committed).toEqual(['12 s · ↑18k ↓1.2k · $0.20']);
  expect(play(begun('m1'), result({ duration_ms: 900 })).committed).toEqual([]);
});

test('a command of the person stands above its output', () => {
  const said = (content: string) => ({ type: 'user', message: { role: 'user', content } });
  const { committed } = play(
    said('<bash-input>ls src</bash-input>'),
    said('<bash-stdout>a.ts\nb.ts</bash-stdout><bash-stderr>one warning</bash-stderr>'),
  );
  expect(committed).toEqual(['! ls src', '  a.ts', '  b.ts', 'stderr: one warning']);
});

test('what failed is told once, also where the answer and the result say the same', () => {
  const why = 'No key was found';
  const answer = {
    ...{ type: 'assistant', uuid: 'a', parent_tool_use_id: null, error: 'authentication_failed' },
    message: { id: 'm', model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: why }] },
  };
  const ended = { is_error: true, result: why, errors: [why], error_code: 'authentication' };
  expect(play(answer, result(ended)).committed).toEqual([`✗ ${why}`, '✗ authentication']);
  expect(play(result(ended)).committed).toEqual([`✗ ${why} (authentication)`]);
});

test('a call that a person is asked about waits, and does not run yet', () => {
  const question = {
    ...{ type: 'control_request', request_id: 'q' },
    request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 'a', input: { command: 'npm test' } },
  };
  const run = [begun('m1'), call('a', 'Bash', { command: 'npm test' })];
  expect(play(...run, question).live).toEqual(['? Bash npm test · waits for your answer']);
  expect(play(...run, question, { type: 'control_cancel_request', request_id: 'q' }).live).toEqual(['◐ Bash npm test']);
});

test('what happened besides the conversation is one row each, with what to do', () => {
  const hook = { hook_name: 'PreToolUse:Bash', outcome: 'error', exit_code: 1, stderr: 'no such program' };
  const retry = { attempt: 2, max_retries: 10, retry_delay_ms: 500, error: 'overloaded' };
  const compacted = { compact_metadata: { trigger: 'auto', pre_tokens: 150_000, post_tokens: 9000 } };
  const { committed } = play(
    begun('m1'),
    system('hook_response', hook),
    system('api_retry', retry),
    system('model_fallback', { original_model: 'opus', fallback_model: 'sonnet' }),
    system('superseded', { superseded_uuids: ['u1'], reason: 'the answer was cut off' }),
    system('compact_boundary', compacted),
    begun('m2'),
    system('resume_report', { dropped: [{ reason: 'a call without a result was left out' }] }),
    system('input_error', { error: 'the prompt is too long' }),
    system('permission_denied', {
      tool_use_id: 'of an agent',
      tool_name: 'Bash',
      decision_reason: 'a rule',
      agent_id: 'x',
    }),
    result({ is_error: true, errors: ['The server is overloaded; try again later'], error_code: 'overloaded' }),
  );
  expect(committed).toEqual([
    '! the hook PreToolUse:Bash failed with exit code 1: no such program',
    '! sonnet answers instead of opus',
    '! the answer was cut off',
    '── compacted: 150k → 9k tokens ──',
    '! a call without a result was left out',
    '✗ the prompt is too long',
    '✗ Bash denied: a rule',
    '✗ The server is overloaded; try again later (overloaded)',
  ]);
  const waiting = play(system('init'), begun('m1'), system('api_retry', retry)).live;
  expect(waiting.join('\n')).toMatch(/retry 2 of 10.*overloaded/);
});
