import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { teamTools } from '../../src/tools/agents/team-tools.ts';
import { builtinTools } from '../../src/tools/builtin-tools.ts';
import { objectInput } from '../../src/tools/input-schema.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { taskTools } from '../../src/tools/task-list/task-tools.ts';
import { type Tool, ToolError, type ToolOutput } from '../../src/tools/tool.ts';
import { askUserTool } from '../../src/tools/user/ask-user.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

const agents = { listing: '- helper: helps', hasTeams: false, kindOf: () => '' };
const builtin = createRegistry(builtinTools({ isReadOnly: () => false, agents }));
const everything = createRegistry(
  builtinTools({ isReadOnly: () => false, agents, askUser: askUserTool, tasks: taskTools, teams: teamTools }),
);

/** Names, fields and required fields (marked *), as the wire has them and in its order; `-o` is of 2.1.325. */
const WIRE = {
  Task: 'description* prompt* subagent_type* model resume run_in_background max_turns isolation',
  TaskOutput: 'task_id* block* timeout*',
  Bash: 'command* timeout description run_in_background dangerouslyDisableSandbox',
  Glob: 'pattern* path',
  Grep: 'pattern* path glob output_mode -B -A -C context -n -i -o type head_limit offset multiline',
  ExitPlanMode: 'plan allowedPrompts',
  Read: 'file_path* offset limit pages',
  Edit: 'file_path* old_string* new_string* replace_all',
  Write: 'file_path* content*',
  NotebookEdit: 'notebook_path* cell_id new_source* cell_type edit_mode',
  TodoWrite: 'todos*',
  TaskStop: 'task_id shell_id',
  AskUserQuestion: 'questions* answers annotations metadata',
  EnterPlanMode: '',
  TeamCreate: 'team_name* description agent_type',
  TeamDelete: '',
  SendMessage: 'type* recipient content summary approve request_id',
  TaskCreate: 'subject* description* activeForm metadata',
  TaskGet: 'taskId*',
  TaskUpdate: 'taskId* status subject description activeForm owner addBlocks addBlockedBy',
  TaskList: '',
};

const NOT_ALWAYS = [
  ...['AskUserQuestion', 'TaskCreate', 'TaskGet', 'TaskUpdate', 'TaskList'],
  ...['TeamCreate', 'TeamDelete', 'SendMessage'],
];

describe('built-in tools', () => {
  test.each([
    ['of every session', builtin, NOT_ALWAYS],
    ['with a host and with tasks', everything, ['TodoWrite']],
  ])('[K37] %s come in the order of the wire, with its fields', (_, registry, absent) => {
    const fields = registry.apiTools().map(({ name, input_schema: { properties, required } }) => {
      const mark = (field: string) => (((required ?? []) as string[]).includes(field) ? `${field}*` : field);
      return [
        name,
        Object.keys(properties as object)
          .map(mark)
          .join(' '),
      ];
    });
    expect(fields).toEqual(Object.entries(WIRE).filter(([name]) => !absent.includes(name)));
  });

  test('cost a request no more than 12 KB, the same bytes every time', () => {
    expect(JSON.stringify(builtin.apiTools()).length).toBeLessThan(12 * 1024);
    expect(builtin.apiTools()).toBe(builtin.apiTools());
  });

  test('have short descriptions', () => {
    const long = everything.all().filter(({ description }) => description.length > 600);
    expect(long.map(({ name }) => name)).toEqual([]);
  });
});

test.each(['constructor', '__proto__', 'toString', 'bash', ''])('[M-10] knows no tool named %j', (name) => {
  expect(builtin.get(name)).toBeUndefined();
});

test('[C-4] refuses two tools of one name', () => {
  const tool = fakeTool(() => ({ content: '', data: null }));
  expect(() => createRegistry([tool, tool])).toThrow(/Two tools are named Fake/);
});

test('[M-10] a tool keeps what it says and checks', async () => {
  const given: Tool = { ...fakeTool(() => ({ content: '', data: null })), prepare: async () => ({ seen: true }) };
  const { run: _, ...rest } = createRegistry([given]).get('Fake') as Tool;
  expect(rest).toEqual((({ run: __, ...each }) => each)(given));
});

describe('[M-12] limits what a result carries', () => {
  const huge = 'x'.repeat(1_000_000);

  test('as text, with the whole in a file', async () => {
    const content = String((await runFake(() => ({ content: huge, data: null }))).content);
    expect(content.length).toBeLessThan(301_000);
    const file = /whole output is in (\S+)/.exec(content)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toBe(huge);
  });

  test('as blocks, taken together', async () => {
    const image = { type: 'image' as const, source: { type: 'url' as const, url: 'http://x' } };
    const text = { type: 'text' as const, text: 'y'.repeat(250_000) };
    const { content } = await runFake(() => ({ content: [text, image, text], data: null }));
    expect(content).toMatchObject([text, image, { type: 'text' }]);
    expect(JSON.stringify(content).length).toBeLessThan(302_000);
  });

  test('as any number of blocks: what is beyond goes to one file, with one note', async () => {
    const text = (letter: string) => ({ type: 'text' as const, text: letter.repeat(250_000) });
    const image = { type: 'image' as const, source: { type: 'url' as const, url: 'http://x' } };
    const { content } = await runFake(() => ({
      content: [text('a'), text('b'), text('c'), image, text('d'), text('e')],
      data: null,
    }));
    const blocks = content as { type: string; text?: string }[];
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'text', 'image', 'text']);
    expect(JSON.stringify(blocks).length).toBeLessThan(302_000);
    const note = blocks.at(-1)?.text ?? '';
    expect(note).toMatch(/^\[… 750002 of 750002 characters left out here; the whole output is in \S+ …\]$/);
    const file = /whole output is in (\S+)/.exec(note)?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toBe([text('c'), text('d'), text('e')].map((block) => block.text).join('\n'));
  });

  test('as an error', async () => {
    const run = runFake(() => {
      throw new ToolError(huge, { wrap: true });
    });
    const error = await run.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ToolError', wrap: true });
    expect((error as Error).message.length).toBeLessThan(301_000);
  });

  test('and leaves everything else alone', async () => {
    const output: ToolOutput = { content: 'short', data: { a: 1 }, isError: false };
    expect(await runFake(() => output)).toEqual(output);
  });
});

function fakeTool(run: () => ToolOutput): Tool {
  return {
    name: 'Fake',
    description: '',
    input: objectInput({}),
    access: () => ({ kind: 'none' }),
    isConcurrencySafe: () => true,
    run: async () => run(),
  };
}

async function runFake(run: () => ToolOutput): Promise<ToolOutput> {
  const tool = createRegistry([fakeTool(run)]).get('Fake');
  return bench.run(tool!, {});
}
