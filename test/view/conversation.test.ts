import { expect, test } from 'vitest';
import { after, answer, begun, blocksIn, call, done, only, opening, piece, result, system, text } from './lines.ts';

test('[TUI-11] an answer is live while it is written, and done with the pieces that were shown, under the same id', () => {
  const { tracker } = after(begun('m1'), opening({ type: 'text', text: '' }), piece('Hel'), piece('lo'));
  const [live] = tracker.view.live;
  expect(live).toMatchObject({ kind: 'answer', pieces: ['Hel', 'lo'] });
  const [block] = blocksIn(tracker.note(text('m1', 'Hello'), 9));
  expect(block).toEqual({
    kind: 'answer',
    id: live?.id,
    uuids: ['u-m1'],
    text: 'Hello',
    broken: null,
    error: null,
  });
  expect(tracker.view.live).toEqual([]);
});

test('[TUI-11] a text that is never recorded is told to be broken: interrupted, replaced by a retry, or lost', () => {
  const writing = [begun('m1'), opening({ type: 'text', text: '' }), piece('Half a')];
  const interrupted = { type: 'user', message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] } };
  expect(only(after(...writing, interrupted, result()).blocks, 'answer')).toMatchObject([
    { text: 'Half a', broken: 'interrupted', uuids: [] },
  ]);
  const retried = after(...writing, system('api_retry', { attempt: 1 }), begun('m2'), text('m2', 'Whole'), result());
  expect(only(retried.blocks, 'answer')).toMatchObject([
    { text: 'Half a', broken: 'replaced' },
    { text: 'Whole', broken: null },
  ]);
  const lost = after(...writing).tracker;
  expect(blocksIn(lost.closed({ code: null, signal: 'SIGKILL' }, 0))).toMatchObject([{ broken: 'lost' }]);
  expect(lost.view.phase).toBe('lost');
});

test('a recorded text that is not the one that was shown gets a block of its own', () => {
  const { blocks } = after(begun('m1'), opening({ type: 'text', text: '' }), piece('One'), text('m1', 'Two'));
  expect(only(blocks, 'answer').map((block) => [block.text, block.broken])).toEqual([
    ['One', 'replaced'],
    ['Two', null],
  ]);
});

test('calls are done in the order of the conversation; one that ends early waits', () => {
  const { tracker, blocks } = after(
    call('c1', 'Bash', { command: 'sleep 1' }),
    call('c2', 'Read', { file_path: '/a' }),
  );
  expect(blocks).toEqual([]);
  expect(blocksIn(tracker.note(done('c2', 'text'), 0))).toEqual([]);
  expect(tracker.view.live.map(({ kind }) => kind)).toEqual(['call', 'done']);
  expect([...tracker.view.calls.keys()]).toEqual(['c1']);
  const ended = only(blocksIn(tracker.note(done('c1', 'late'), 5000)), 'call');
  expect(ended.map((block) => [block.call.subject, block.text, block.outcome])).toEqual([
    ['sleep 1', 'late', 'done'],
    ['/a', 'text', 'done'],
  ]);
});

test('a call ends in one of four ways', () => {
  const failed = done('c1', 'no such file', {
    message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true }] },
  });
  const outcome = (...lines: object[]) =>
    only(after(call('c1', 'Bash'), ...(lines as Parameters<typeof after>)).blocks, 'call')[0]?.outcome;
  expect(outcome(done('c1'))).toBe('done');
  expect(outcome(failed)).toBe('failed');
  expect(outcome(system('permission_denied', { tool_use_id: 'c1', decision_reason: 'a rule' }), failed)).toBe('denied');
  expect(outcome(result())).toBe('unknown');
  expect(outcome(text('m2', 'the next answer'))).toBe('unknown');
});

test('the change of a file comes with its call', () => {
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ['-a', '+b', '+c'] };
  const edited = done('c1', 'ok', { tool_use_result: { filePath: '/x', structuredPatch: [hunk], type: 'update' } });
  const created = done('c1', 'ok', {
    tool_use_result: { filePath: '/x', structuredPatch: [], type: 'create', content: 'a\nb\n' },
  });
  const patchOf = (line: object) => {
    const { blocks, tracker } = after(call('c1', 'Edit'), line as never);
    return {
      ...only(blocks, 'call')[0]?.patch,
      lines: [tracker.view.meters.linesAdded, tracker.view.meters.linesRemoved],
    };
  };
  expect(patchOf(edited)).toEqual({ file: '/x', hunks: [hunk], added: 2, removed: 1, isNew: false, lines: [2, 1] });
  expect(patchOf(created)).toMatchObject({ added: 2, removed: 0, isNew: true, lines: [2, 0] });
});

test('the model writes a call: its name is known before its input, and a broken one leaves nothing behind', () => {
  const writing = opening({ type: 'tool_use', id: 'c1', name: 'Write', input: {} });
  const { tracker } = after(begun('m1'), writing);
  expect(tracker.view.live).toMatchObject([{ kind: 'call', isWritten: false, call: { name: 'Write' } }]);
  expect(tracker.view.doing).toMatchObject({ what: 'calling', tool: 'Write' });
  tracker.note(call('c1', 'Write', { file_path: '/x' }), 0);
  expect(tracker.view.live).toMatchObject([{ kind: 'call', isWritten: true, call: { subject: '/x' } }]);
  expect(after(begun('m1'), writing, result()).blocks.map(({ kind }) => kind)).toEqual(['result']);
});

test('a thought has its time and its tokens', () => {
  const { blocks } = after(
    begun('m1'),
    opening({ type: 'thinking', thinking: '' }),
    system('thinking_tokens', { estimated_tokens: 70 }),
    answer('m1', { type: 'thinking', thinking: 'Hm.' }),
  );
  expect(blocks).toMatchObject([{ kind: 'thought', text: 'Hm.', ms: 2000, tokens: 70 }]);
});

test('what an agent says is not part of the conversation; its call tells what it does', () => {
  const inner = (more: object) => ({ parent_tool_use_id: 'c1', ...more });
  const { tracker, blocks } = after(
    call('c1', 'Task', { subagent_type: 'Explore', description: 'look' }),
    answer('m2', { type: 'text', text: 'inner words' }, inner({})),
    answer('m2', { type: 'tool_use', id: 'c2', name: 'Read', input: { file_path: '/a' } }, inner({})),
  );
  expect(blocks).toEqual([]);
  expect([...tracker.view.calls.keys()]).toEqual(['c1', 'c2']);
  expect(tracker.view.calls.get('c1')?.agent).toMatchObject({
    kind: 'Explore',
    calls: 1,
    last: { name: 'Read', subject: '/a' },
  });
  tracker.note(done('c2', '', inner({})), 0);
  expect([...tracker.view.calls.keys()]).toEqual(['c1']);
});

test('outputs of commands: slash commands on either stream, and shell commands of the person', () => {
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } });
  const { blocks } = after(
    user('<local-command-stdout>Set model</local-command-stdout>'),
    answer(
      'x',
      { type: 'text', text: 'No' },
      { local_command_source: '<local-command-stderr>No</local-command-stderr>' },
    ),
    user('<bash-input>ls</bash-input>'),
    user('<bash-stdout>a.txt</bash-stdout><bash-stderr>oops</bash-stderr>'),
  );
  expect(only(blocks, 'command-output').map(({ command, stdout, stderr }) => [command, stdout, stderr])).toEqual([
    [null, 'Set model', ''],
    [null, '', 'No'],
    ['ls', 'a.txt', 'oops'],
  ]);
  expect(blocks).toHaveLength(3);
});

test('a compaction is one block with its summary, or without where none follows', () => {
  const boundary = system('compact_boundary', { compact_metadata: { trigger: 'auto', pre_tokens: 900 }, uuid: 'b' });
  const summary = { type: 'user', isSynthetic: true, message: { content: 'What came before' } };
  expect(after(boundary, summary, text('m1', 'Go on')).blocks).toMatchObject([
    { kind: 'compaction', trigger: 'auto', tokensBefore: 900, summary: 'What came before', uuids: ['b'] },
    { kind: 'answer' },
  ]);
  expect(after(boundary, text('m1', 'Go on')).blocks).toMatchObject([
    { kind: 'compaction', summary: '' },
    { kind: 'answer' },
  ]);
  expect(after({ ...summary, isCompactSummary: true }).blocks).toMatchObject([{ kind: 'compaction' }]);
});

test('texts that the runtime writes in the role of the user are not shown', () => {
  const user = (content: string, more = {}) => ({ type: 'user', message: { role: 'user', content }, ...more });
  const { blocks } = after(
    user('<system-reminder>x</system-reminder>'),
    user('<task-notification>x</task-notification>'),
    user('hidden', { isSynthetic: true }),
  );
  expect(blocks).toEqual([]);
});

test('a result tells whether its text is new', () => {
  expect(only(after(text('m1', 'Hi'), result({ result: 'Hi' })).blocks, 'result')[0]?.isNewText).toBe(false);
  expect(only(after(result({ result: 'Unknown command' })).blocks, 'result')[0]?.isNewText).toBe(true);
});

test('the time of a call does not include the wait for an answer about it', () => {
  const { tracker } = after(call('c1', 'Bash', { command: 'npm test' }));
  const request = { subtype: 'can_use_tool' as const, tool_name: 'Bash', tool_use_id: 'c1', input: {} };
  tracker.asked({ type: 'control_request', request_id: 'q', request }, 1000);
  tracker.answered('q', 60_000);
  expect(only(blocksIn(tracker.note(done('c1'), 61_500)), 'call')).toMatchObject([{ ms: 1500 }]);
});
