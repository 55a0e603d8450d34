import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryTaskFiles, taskFiles } from '../../../src/tools/task-list/task-files.ts';
import { createTaskStore, type TaskStore } from '../../../src/tools/task-list/task-store.ts';
import { taskCreateTool, taskGetTool, taskListTool, taskUpdateTool } from '../../../src/tools/task-list/task-tools.ts';
import { toolServices } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const dir = () => bench.path('tasks/session');
const onFiles = () => createTaskStore(taskFiles(dir()));
const over = (store: TaskStore) => ({ service: toolServices({ taskList: { tasks: async () => store } }) });
const create = (store: TaskStore, subject: string) =>
  bench.run(taskCreateTool, { subject, description: `do ${subject}` }, over(store));
const update = (store: TaskStore, input: object) => bench.run(taskUpdateTool, input, over(store));
const list = async (store: TaskStore) => (await bench.run(taskListTool, {}, over(store))).content;
const fileOf = (id: string) => JSON.parse(readFileSync(join(dir(), `${id}.json`), 'utf8'));

describe.each([
  ['in files', onFiles],
  ['in memory', () => createTaskStore(memoryTaskFiles())],
])('tasks %s', (_where, open) => {
  test('[K37, B-037] are created, changed, listed and shown, with the shapes of the wire', async () => {
    const store = open();
    expect((await create(store, 'one')).data).toEqual({ task: { id: '1', subject: 'one' } });
    await create(store, 'two');
    expect((await update(store, { taskId: '1', status: 'completed' })).data).toEqual({
      success: true,
      taskId: '1',
      updatedFields: ['status'],
      statusChange: { from: 'pending', to: 'completed' },
    });
    expect(await bench.run(taskListTool, {}, over(store))).toEqual({
      content: '#1 [completed] one\n#2 [pending] two',
      data: {
        tasks: [
          { id: '1', subject: 'one', status: 'completed', blockedBy: [] },
          { id: '2', subject: 'two', status: 'pending', blockedBy: [] },
        ],
      },
    });
    const shown = await bench.run(taskGetTool, { taskId: '2' }, over(store));
    expect(shown.content).toBe('#2 [pending] two\n\ndo two');
    expect(shown.data).toEqual({
      task: { id: '2', subject: 'two', description: 'do two', status: 'pending', blocks: [], blockedBy: [] },
    });
  });

  test('wait for each other, until what they wait for is done', async () => {
    const store = open();
    for (const subject of ['one', 'two', 'three']) await create(store, subject);
    expect((await update(store, { taskId: '1', addBlocks: ['2'], owner: 'ada' })).data).toMatchObject({
      updatedFields: ['owner', 'blocks'],
    });
    await update(store, { taskId: '3', addBlockedBy: ['2'] });
    expect(await list(store)).toBe(
      '#1 [pending] one (ada)\n#2 [pending] two [blocked by #1]\n#3 [pending] three [blocked by #2]',
    );
    await update(store, { taskId: '1', status: 'completed' });
    expect(await list(store)).toContain('#2 [pending] two\n');
    const shown = await bench.run(taskGetTool, { taskId: '2' }, over(store));
    expect(shown.content).toBe('#2 [pending] two\nBlocked by: #1\nBlocks: #3\n\ndo two');
  });

  test('are gone when deleted, also from those that waited, and their ids are not used again', async () => {
    const store = open();
    for (const subject of ['one', 'two']) await create(store, subject);
    await update(store, { taskId: '1', addBlockedBy: ['2'] });
    const { content, data } = await update(store, { taskId: '2', status: 'deleted' });
    expect(content).toBe('Task #2 is off the list.');
    expect(data).toMatchObject({ updatedFields: ['deleted'], statusChange: { from: 'pending', to: 'deleted' } });
    expect(await list(store)).toBe('#1 [pending] one');
    expect((await create(store, 'three')).data).toEqual({ task: { id: '3', subject: 'three' } });
  });

  test.each(['2', '0', '01', '../1', '../../etc/passwd', '__proto__', ''])('know no id %j', async (taskId) => {
    const store = open();
    await create(store, 'one');
    const runs = [
      () => bench.run(taskGetTool, { taskId }, over(store)),
      () => update(store, { taskId, status: 'completed' }),
      () => update(store, { taskId, status: 'deleted' }),
      () => update(store, { taskId: '1', addBlocks: [taskId] }),
    ];
    for (const run of runs) {
      await expect(run()).rejects.toThrow(`There is no task with the id ${JSON.stringify(taskId)}. Known ids: 1.`);
    }
    expect(await list(store)).toBe('#1 [pending] one');
  });

  test('cannot wait for themselves or for each other', async () => {
    const store = open();
    for (const subject of ['one', 'two']) await create(store, subject);
    await update(store, { taskId: '1', addBlocks: ['2'] });
    await expect(update(store, { taskId: '1', addBlocks: ['1'] })).rejects.toThrow('Task 1 cannot wait for itself');
    await expect(update(store, { taskId: '1', addBlockedBy: ['2'] })).rejects.toThrow('cannot wait for each other');
  });

  test('say when a change changed nothing', async () => {
    const store = open();
    await create(store, 'one');
    const { content, data } = await update(store, { taskId: '1', subject: 'one' });
    expect(content).toBe('Task #1 was like that already.');
    expect(data).toEqual({ success: true, taskId: '1', updatedFields: [] });
  });
});

describe('task files', () => {
  test('[G8] have the fields of the reference and are readable for the user alone', async () => {
    await bench.run(
      taskCreateTool,
      { subject: 'one', description: 'do one', activeForm: 'Doing one', metadata: { ticket: 7 } },
      over(onFiles()),
    );
    expect(fileOf('1')).toEqual({
      id: '1',
      subject: 'one',
      description: 'do one',
      activeForm: 'Doing one',
      metadata: { ticket: 7 },
      status: 'pending',
      blocks: [],
      blockedBy: [],
    });
    expect(statSync(join(dir(), '1.json')).mode & 0o777).toBe(0o600);
    expect(statSync(dir()).mode & 0o777).toBe(0o700);
  });

  test('outlive the process that wrote them, and ids go on counting', async () => {
    await create(onFiles(), 'one');
    const later = onFiles();
    expect((await create(later, 'two')).data).toMatchObject({ task: { id: '2' } });
    await update(later, { taskId: '2', status: 'deleted' });
    expect((await create(onFiles(), 'three')).data).toMatchObject({ task: { id: '3' } });
  });

  test('two that write one list lose no task', async () => {
    const stores = [onFiles(), onFiles(), onFiles()];
    const subjects = Array.from({ length: 30 }, (_, i) => `task ${i}`);
    await Promise.all(subjects.map((subject, i) => create(stores[i % 3] as TaskStore, subject)));
    const tasks = await onFiles().list();
    expect(tasks.map(({ subject }) => subject).sort()).toEqual([...subjects].sort());
    expect(tasks.map(({ id }) => id)).toEqual(subjects.map((_, i) => String(i + 1)));
  });

  test('of others are read as far as they can be; what is not known stays in them', async () => {
    mkdirSync(dir(), { recursive: true });
    writeFileSync(join(dir(), '1.json'), '{"subject":"theirs","status":"odd","internal":{"x":1}}');
    writeFileSync(join(dir(), '2.json'), '{ torn');
    writeFileSync(join(dir(), '.lock'), '');
    writeFileSync(join(dir(), 'notes.json'), '{}');
    const store = onFiles();
    expect(await list(store)).toBe('#1 [pending] theirs');
    await update(store, { taskId: '1', status: 'in_progress' });
    expect(fileOf('1')).toMatchObject({ status: 'in_progress', internal: { x: 1 } });
    expect((await create(store, 'next')).data).toMatchObject({ task: { id: '3' } });
    expect(readdirSync(dir()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('claims of agents that share the list', () => {
  const as = (store: TaskStore, agentName: string | undefined) => ({
    service: toolServices({ taskList: { tasks: async () => store, agentName } }),
  });
  const begin = (store: TaskStore, taskId: string, agentName?: string) =>
    bench.run(taskUpdateTool, { taskId, status: 'in_progress' }, as(store, agentName));

  test('who begins a task has it, and nobody else gets it, however many try at once', async () => {
    const store = onFiles();
    await create(store, 'one');
    const tries = await Promise.allSettled(['ada', 'bob', 'cyd'].map((name) => begin(store, '1', name)));
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const { owner } = await store.get('1');
    const refused = tries.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason.message).toBe(`Task #1 is being done by ${owner}. Take another one.`);
  });

  test('what still waits cannot be begun by an agent, and can be as soon as that is done', async () => {
    const store = onFiles();
    await create(store, 'one');
    await create(store, 'two');
    await update(store, { taskId: '2', addBlockedBy: ['1'] });
    await expect(begin(store, '2', 'ada')).rejects.toThrow('Task #2 still waits for #1.');
    await begin(store, '1', 'ada');
    await bench.run(taskUpdateTool, { taskId: '1', status: 'completed' }, as(store, 'ada'));
    await begin(store, '2', 'bob');
    expect(await store.get('2')).toMatchObject({ owner: 'bob', status: 'in_progress' });
  });

  test('the main thread may give it to another', async () => {
    const store = onFiles();
    await create(store, 'one');
    await begin(store, '1', 'ada');
    await bench.run(taskUpdateTool, { taskId: '1', owner: 'bob' }, as(store, undefined));
    expect(await store.get('1')).toMatchObject({ owner: 'bob' });
  });
});
