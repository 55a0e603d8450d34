import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const HOST = [...STREAM_BOTH, '--permission-prompt-tool', 'stdio'];

/** What a host says to a permission question; null: the test does not expect one. */
type Answers = (request: Record<string, unknown>) => object | null;

interface Talk {
  lines: Line[];
  /** The inputs that were asked about. */
  asked: Record<string, unknown>[];
}

/** One turn with a host that answers. */
async function talk(place: Place, answers: Answers, args: string[] = [], env = {}): Promise<Talk> {
  const cli = startCli([...HOST, ...args], { place, env });
  const asked: Record<string, unknown>[] = [];
  cli.say('go');
  for (;;) {
    const line = await cli.next(({ type }) => type === 'result' || type === 'control_request');
    if (line.type === 'result') break;
    const request = line.request as Record<string, unknown>;
    asked.push(request);
    const response = answers(request) ?? { behavior: 'deny', message: 'not expected' };
    cli.send({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } });
  }
  cli.endInput();
  const { lines } = await cli.finished;
  return { lines, asked };
}

const resultsIn = (lines: Line[]) => lines.filter((line) => toolResult(line) !== undefined);
const contentsIn = (lines: Line[]) => resultsIn(lines).map((line) => String(toolResult(line)?.content));
const dataIn = (lines: Line[]) => resultsIn(lines).map((line) => line.tool_use_result as Record<string, unknown>);
const toolsOf = (lines: Line[]) => lines.find((line) => kindOf(line) === 'system/init')?.tools as string[];
const modesIn = (lines: Line[]) =>
  lines.filter((line) => kindOf(line) === 'system/status').map(({ permissionMode }) => permissionMode);
const sessionOf = (lines: Line[]) => String(lines[0]?.session_id);
const plansIn = ({ home }: Place) => readdirSync(join(home, 'plans'));

describe('plan mode', () => {
  const planFileIn = (request: FakeApiRequest) =>
    /write the plan to (\S+\.md)/.exec(conversationText(request))?.[1] ?? '';
  const write = (file_path: string, content: string) => toolUse('Write', { file_path, content });
  /** Enters, tries to change something, writes the plan, shows it, and begins. */
  const planner = (request: FakeApiRequest, step: number): AnswerLike =>
    [
      toolUse('EnterPlanMode', {}),
      write('early.txt', 'x'),
      write(planFileIn(request), '# Weave\n'),
      toolUse('ExitPlanMode', {}),
      write('late.txt', 'x'),
      'Done.',
    ][step] ?? 'over';

  test('[B-218, TYP-04] is entered, holds changes back, lets the plan be written, and ends with its approval', async () => {
    const place = await makePlace(planner);
    const { lines, asked } = await talk(place, ({ tool_name }) =>
      tool_name === 'ExitPlanMode' ? { behavior: 'allow' } : null,
    );
    const [name] = plansIn(place);
    const planFile = join(place.home, 'plans', String(name));
    expect(asked).toMatchObject([
      { tool_name: 'Write', input: { file_path: 'early.txt' } },
      { tool_name: 'ExitPlanMode', input: { plan: '# Weave\n', planFilePath: planFile } },
      { tool_name: 'Write', input: { file_path: 'late.txt' } },
    ]);
    expect(asked[1]).not.toHaveProperty('permission_suggestions');
    expect(modesIn(lines)).toEqual(['plan', 'default']);
    expect(dataIn(lines)[3]).toEqual({ plan: '# Weave\n', isAgent: false, filePath: planFile });
    expect(contentsIn(lines)[3]).toContain('The approved plan');
    expect(readFileSync(planFile, 'utf8')).toBe('# Weave\n');
    expect(existsSync(join(place.cwd, 'early.txt'))).toBe(false);
  });

  test('each change of the mode is told before the result of the call', async () => {
    const place = await makePlace(planner);
    const { lines } = await talk(place, ({ tool_name }) => (tool_name === 'Write' ? null : { behavior: 'allow' }));
    const kinds = lines.map(kindOf).filter((kind) => kind !== 'control_request');
    expect(kinds.slice(0, 4)).toEqual(['system/init', 'assistant', 'system/status', 'user']);
    const exit = kinds.lastIndexOf('system/status');
    expect(kinds.slice(exit - 1, exit + 2)).toEqual(['assistant', 'system/status', 'user']);
  });

  test('a mode that the user chooses with the approval holds', async () => {
    const place = await makePlace(planner);
    const mode = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const { lines, asked } = await talk(place, ({ tool_name }) =>
      tool_name === 'ExitPlanMode' ? { behavior: 'allow', updatedPermissions: [mode] } : null,
    );
    expect(modesIn(lines)).toEqual(['plan', 'acceptEdits']);
    expect(asked).toHaveLength(2);
    expect(readFileSync(join(place.cwd, 'late.txt'), 'utf8')).toBe('x');
  });

  test('a refused plan leaves it on', async () => {
    const place = await makePlace(planner);
    const { lines, asked } = await talk(place, ({ tool_name }) =>
      tool_name === 'ExitPlanMode' ? { behavior: 'deny', message: 'Too short.' } : null,
    );
    expect(modesIn(lines)).toEqual(['plan']);
    expect(contentsIn(lines)[3]).toBe('Too short.');
    expect(asked.at(-1)).toMatchObject({ tool_name: 'Write', decision_reason: expect.stringContaining('plan mode') });
  });

  test('[G7] with nobody to ask, a plan is not approved, and outside of plan mode nobody would be asked', async () => {
    const place = await makePlace([toolUse('ExitPlanMode', { plan: 'x' }), 'Well.']);
    const planning = await runCli([...STREAM_OUT, '--permission-mode', 'plan', 'go'], { place });
    expect(planning.lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'ExitPlanMode' }] });
    expect(modesIn(planning.lines)).toEqual([]);
    const other = await makePlace([toolUse('ExitPlanMode', { plan: 'x' }), 'Well.']);
    const { lines, asked } = await talk(other, () => null);
    expect(asked).toEqual([]);
    expect(contentsIn(lines)).toEqual([expect.stringMatching(/^<tool_use_error>Plan mode is not on/)]);
  });

  test('[G8] the plans and their folder are for the user alone', async () => {
    const place = await makePlace(planner);
    await talk(place, () => null);
    const folder = join(place.home, 'plans');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name] = plansIn(place);
    expect(statSync(join(folder, String(name))).mode & 0o777).toBe(0o600);
  });

  test('[G6] a session file cannot choose where its plan is', async () => {
    const place = await makePlace((_request, index) =>
      index === 0 ? 'Hello.' : index === 1 ? toolUse('EnterPlanMode', {}) : 'Done.',
    );
    const first = await runCli([...STREAM_OUT, 'go'], { place });
    const file = sessionFile(place, sessionOf(first.lines));
    const slug = join('..', '..', '..', basename(place.cwd), 'victim');
    const entries = readEntries(file).map((entry) => ({ ...entry, slug }));
    writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const { lines } = await runCli([...STREAM_OUT, '--resume', sessionOf(first.lines), 'on'], { place });
    expect(contentsIn(lines)).toEqual([expect.stringContaining('give the plan to ExitPlanMode in `plan`')]);
  });
});

describe('questions', () => {
  const option = (label: string) => ({ label, description: label });
  const questions = [{ question: 'Which?', header: 'Pick', options: [option('A'), option('B')], multiSelect: false }];
  const asking = (more = {}): AnswerLike[] => [toolUse('AskUserQuestion', { questions, ...more }), 'Thanks.'];

  test('[B-217, PRM-02] are asked of the host, in every mode, and its answers reach the model', async () => {
    for (const mode of ['default', 'bypassPermissions', 'plan']) {
      const place = await makePlace(asking());
      const { lines, asked } = await talk(
        place,
        ({ input }) => ({ behavior: 'allow', updatedInput: { ...(input as object), answers: { 'Which?': 'B' } } }),
        ['--permission-mode', mode],
      );
      expect(asked).toMatchObject([{ tool_name: 'AskUserQuestion', input: { questions } }]);
      expect(dataIn(lines)).toEqual([{ questions, answers: { 'Which?': 'B' } }]);
      expect(conversationText(place.api.requests.at(-1))).toContain('Which?\n  B');
    }
  });

  test('an approval without an answer is no answer, and a model cannot answer itself', async () => {
    const place = await makePlace(asking());
    const allowed = await talk(place, () => ({ behavior: 'allow' }));
    expect(contentsIn(allowed.lines)).toEqual([expect.stringMatching(/^The user gave no answer/)]);
    const eager = await makePlace(asking({ answers: { 'Which?': 'A' } }));
    const { lines, asked } = await talk(eager, ({ input }) => ({ behavior: 'allow', updatedInput: input as object }));
    expect(asked).toEqual([]);
    expect(contentsIn(lines)).toEqual([expect.stringContaining('The answers come from the user')]);
  });

  test.each([
    ['nobody answers', STREAM_OUT, []],
    ['it is disallowed', HOST, ['--disallowedTools', 'AskUserQuestion']],
    ['other tools are asked for', HOST, ['--tools', 'Read']],
  ])('[K7] do not exist where %s', async (_, base, args) => {
    const place = await makePlace(asking());
    const isHost = base === HOST;
    const { lines } = isHost ? await talk(place, () => null, args) : await runCli([...base, 'go'], { place });
    expect(toolsOf(lines)).not.toContain('AskUserQuestion');
    expect(bodyOf(place.api.requests[0]).tools?.map(({ name }) => name)).not.toContain('AskUserQuestion');
    expect(contentsIn(lines)).toEqual([expect.stringContaining('No such tool available: AskUserQuestion')]);
  });
});

describe('lists', () => {
  const todos = [{ content: 'weave', status: 'in_progress', activeForm: 'weaving' }];
  const resume = (lines: Line[]) => [...STREAM_OUT, '--resume', sessionOf(lines), 'on'];

  test('[B-037] a resumed session knows its list', async () => {
    const place = await makePlace((_request, index) => [toolUse('TodoWrite', { todos }), 'Noted.'][index % 2] ?? '');
    const first = await runCli([...STREAM_OUT, 'go'], { place });
    expect(dataIn(first.lines)).toEqual([{ oldTodos: [], newTodos: todos }]);
    const second = await runCli(resume(first.lines), { place });
    expect(dataIn(second.lines)).toEqual([{ oldTodos: todos, newTodos: todos }]);
  });

  const one = { subject: 'one', description: 'do one', activeForm: 'Doing one' };
  const env = { CLAUDE_CODE_ENABLE_TASKS: '1' };

  test('[K37, B-037] tasks take the place of the list, are kept in files, and go on counting', async () => {
    const place = await makePlace((_request, index) =>
      index % 3 === 0 ? toolUse('TaskCreate', one) : index % 3 === 1 ? toolUse('TaskList', {}) : 'Listed.',
    );
    const first = await runCli([...STREAM_OUT, 'go'], { place, env });
    const tools = toolsOf(first.lines);
    expect(tools.slice(-4)).toEqual(['TaskCreate', 'TaskGet', 'TaskUpdate', 'TaskList']);
    expect(tools).not.toContain('TodoWrite');
    expect(contentsIn(first.lines)[1]).toBe('#1 [pending] one');
    const second = await runCli(resume(first.lines), { place, env });
    expect(contentsIn(second.lines)[1]).toBe('#1 [pending] one\n#2 [pending] one');
    const dir = join(place.home, 'tasks', sessionOf(first.lines));
    expect(readdirSync(dir).sort()).toEqual(['1.json', '2.json']);
    expect(JSON.parse(readFileSync(join(dir, '1.json'), 'utf8'))).toEqual({
      id: '1',
      ...one,
      status: 'pending',
      blocks: [],
      blockedBy: [],
    });
  });

  test('a session that keeps nothing keeps no tasks', async () => {
    const place = await makePlace([toolUse('TaskCreate', one), toolUse('TaskList', {}), 'Listed.']);
    const { lines } = await runCli([...STREAM_OUT, '--no-session-persistence', 'go'], { place, env });
    expect(contentsIn(lines)[1]).toBe('#1 [pending] one');
    expect(existsSync(join(place.home, 'tasks'))).toBe(false);
  });
});
