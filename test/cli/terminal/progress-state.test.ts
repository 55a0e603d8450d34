import { expect, test } from 'vitest';
import { trackProgress } from '../../../src/cli/terminal/progress-state.ts';
import type { JsonObject } from '../../../src/util/json.ts';

const event = (fields: object) => ({ type: 'stream_event', event: fields });
const begun = (id: string, usage: object) => event({ type: 'message_start', message: { id, usage } });
const block = (content_block: object) => event({ type: 'content_block_start', index: 0, content_block });
const call = (id: string, name: string, input: object) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', id, name, input }], usage: {} },
});
const done = (id: string) => ({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id }] } });
const system = (subtype: string, fields: object = {}) => ({ type: 'system', subtype, ...fields });

function after(...lines: JsonObject[]) {
  const tracker = trackProgress();
  for (const line of lines) tracker.note(line, 1000);
  return tracker.state;
}

test('what the model does follows its stream', () => {
  const start = begun('m1', {});
  expect(after().doing).toBe('starting');
  expect(after(system('init')).doing).toBe('waiting for the model');
  expect(after(start, block({ type: 'thinking' })).doing).toBe('thinking');
  expect(after(start, block({ type: 'text' })).doing).toBe('writing');
  expect(after(start, block({ type: 'tool_use', name: 'Read' })).doing).toBe('writing a call of Read');
  expect(after(block({ type: 'text' }), event({ type: 'message_stop' })).doing).toBe('waiting for the model');
  expect(after(system('status', { status: 'compacting' })).doing).toBe('compacting');
  expect(after(system('status', { status: 'compacting' }), system('status', { status: null })).doing).toBe(
    'waiting for the model',
  );
});

test('tokens of an answer count once, whoever tells of them, cached ones too', () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 1000, output_tokens: 1 };
  const line = { type: 'assistant', message: { id: 'm1', content: [], usage } };
  const end = event({ type: 'message_delta', usage: { output_tokens: 30 } });
  expect(after(begun('m1', usage), line, line, end).tokens).toEqual({ in: 1110, out: 30 });
  expect(after(begun('m1', usage), end, begun('m2', usage)).tokens).toEqual({ in: 2220, out: 31 });
});

test('a call runs until its result comes, and is told by what it is about', () => {
  const read = call('c1', 'Read', { file_path: '/x/a.ts', limit: 3 });
  const bash = call('c2', 'Bash', { description: 'Runs tests', command: 'npm test' });
  const own = call('c3', 'mcp__own', { count: 1, words: 'hello' });
  const state = after(read, bash, own, done('c1'));
  expect([...state.calls.values()]).toEqual([
    { name: 'Bash', subject: 'npm test', share: '' },
    { name: 'mcp__own', subject: 'hello', share: '' },
  ]);
  expect(after(read, bash, own, { type: 'result' }).calls.size).toBe(0);
});

test('how far a call is, where its tool says so', () => {
  const told = (fields: object) => ({ type: 'tool_progress', tool_use_id: 'c1', ...fields });
  const shareAfter = (line: JsonObject) => after(call('c1', 'x', {}), line).calls.get('c1')?.share;
  expect(shareAfter(told({ progress: 3, total: 10 }))).toBe('3/10');
  expect(shareAfter(told({ progress: 3 }))).toBe('3');
  expect(shareAfter(told({ elapsed_time_seconds: 30 }))).toBe('');
});

test('an agent is at work from its start to its end; commands in the background are no agents', () => {
  const started = (run: string, more: object) => system('task_started', { run_id: run, ...more });
  const agents = [started('r1', { subagent_type: 'Explore' }), started('r2', { subagent_type: 'Plan' })];
  expect(after(...agents, started('r3', {})).agents.size).toBe(2);
  expect(after(...agents, system('task_updated', { run_id: 'r1', patch: { is_backgrounded: true } })).agents.size).toBe(
    2,
  );
  expect(after(...agents, system('task_updated', { run_id: 'r1', patch: { status: 'failed' } })).agents.size).toBe(1);
  expect(after(system('background_tasks_changed', { tasks: [{}, {}] })).background).toBe(2);
});

test('a retry is over with the next sign of the model', () => {
  const retry = system('api_retry', { attempt: 2, max_retries: 10, retry_delay_ms: 4000 });
  expect(after(retry).retry).toEqual({ at: 5000, attempt: 2, of: 10 });
  expect(after(retry, system('background_tasks_changed', { tasks: [] })).retry).not.toBeNull();
  expect(after(retry, begun('m1', {})).retry).toBeNull();
});

test('lines of another shape do no harm', () => {
  const odd = [{ type: 'assistant' }, { type: 'user', message: { content: 'text' } }, { type: 'stream_event' }, {}];
  expect(after(...odd, { type: 'assistant', message: { content: [null, { type: 'tool_use' }] } }).calls.size).toBe(1);
});
