import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiMessage } from '../../../src/model/model.ts';
import { taskListPort } from '../../../src/tools/task-list/task-list-port.ts';
import { todoTool } from '../../../src/tools/task-list/todo.ts';
import type { Todo } from '../../../src/tools/task-list/todo-list.ts';
import { restoreTodos } from '../../../src/tools/task-list/todo-list.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const todo = (content: string, status: Todo['status']): Todo => ({ content, status, activeForm: `${content}ing` });
const begun = [todo('warp', 'completed'), todo('weave', 'in_progress'), todo('cut', 'pending')];
const done = begun.map((each) => ({ ...each, status: 'completed' as const }));

describe('TodoWrite', () => {
  test('[B-037] replaces the list and shows the old and the new one', async () => {
    expect((await bench.run(todoTool, { todos: begun })).data).toEqual({ oldTodos: [], newTodos: begun });
    const next = [todo('cut', 'in_progress')];
    expect((await bench.run(todoTool, { todos: next })).data).toEqual({ oldTodos: begun, newTodos: next });
  });

  test('tells the model how far it is', async () => {
    const { content } = await bench.run(todoTool, { todos: begun });
    expect(content).toBe('The list is stored: 1 of 3 done, now: weaveing. Go on with it.');
    expect((await bench.run(todoTool, { todos: [] })).content).toBe('The list is empty now.');
  });

  test('closes a list of which everything is done: the next begins empty', async () => {
    expect((await bench.run(todoTool, { todos: done })).data).toEqual({ oldTodos: [], newTodos: done });
    expect(bench.context.service(taskListPort).todos.current).toEqual([]);
  });

  test('needs no permission and runs alone', () => {
    expect(todoTool.access({ todos: [] }, bench.context.workspace)).toEqual({ kind: 'none' });
    expect(todoTool.isConcurrencySafe({ todos: [] })).toBe(false);
  });

  test.each([
    [{}, 'todos is missing'],
    [{ todos: 'x' }, 'todos must be an array, not the string "x"'],
    [{ todos: [{ ...begun[0], status: 'done' }] }, 'todos[0].status must be one of pending, in_progress, completed'],
    [{ todos: [{ content: 'x', status: 'pending' }] }, 'todos[0].activeForm is missing'],
  ])('[M-10] refuses %j', (input, problem) => {
    expect(todoTool.input.parse(input)).toEqual({ ok: false, problems: [problem] });
  });
});

describe('a resumed session', () => {
  const call = (id: string, todos: unknown): ApiMessage => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'TodoWrite', input: { todos } }],
  });
  const result = (id: string, is_error?: boolean): ApiMessage => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'x', ...(is_error && { is_error }) }],
  });

  test('has the list of the last call that succeeded', () => {
    const messages = [call('1', [todo('old', 'pending')]), result('1'), call('2', begun), result('2')];
    expect(restoreTodos(messages)).toEqual(begun);
    expect(restoreTodos([...messages, call('3', []), result('3', true)])).toEqual(begun);
    expect(restoreTodos([...messages, call('4', [])])).toEqual(begun);
  });

  test('has none when there was none, when all was done, and when it cannot be read', () => {
    expect(restoreTodos([])).toBeNull();
    expect(restoreTodos([call('1', done), result('1')])).toEqual([]);
    expect(restoreTodos([call('1', [{ odd: true }]), result('1')])).toEqual([]);
  });
});
