import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { cast, lastText, type Line as Said, task } from '../support/cast.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makeRepository } from '../support/git-repository.ts';
import type { Block, Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { describeSandboxed } from '../support/sandbox.ts';

const ISOLATED = { isolation: 'worktree' };
const GO = [...STREAM_OUT, 'MAIN go', '--permission-mode', 'acceptEdits'];

function placeOf(child: readonly Said<FakeApiRequest>[], more: object = ISOLATED): Promise<Place> {
  return makePlace(cast<FakeApiRequest>({ MAIN: [task('CHILD go', { ...more }), 'Done.'], CHILD: child }));
}

/** What the calls of the main thread came to. */
function outcomes(lines: readonly Line[]) {
  return lines
    .filter(({ type, parent_tool_use_id }) => type === 'user' && parent_tool_use_id === null)
    .flatMap((line) => {
      const [block] = (line.message?.content ?? []) as Block[];
      if (block?.type !== 'tool_result') return [];
      return [
        { isError: block.is_error === true, text: JSON.stringify(block.content), data: line.tool_use_result as Line },
      ];
    });
}

describe('[B-208] an agent with a worktree of its own', () => {
  test('leaves the checkout alone, and its caller is told where its changes are', async () => {
    const place = await placeOf([
      toolUse('Write', { file_path: 'made.txt', content: 'new\n' }),
      toolUse('Read', { file_path: 'file.txt' }),
      toolUse('Edit', { file_path: 'file.txt', old_string: 'was', new_string: 'is' }),
      (request) => (lastText(request).includes('as it is') ? 'Changed.' : 'Not changed.'),
    ]);
    const { git, names, branches, worktrees } = makeRepository(place);
    const { lines } = await runCli(GO, { place });
    const [name = ''] = names();
    const path = join(worktrees, name);
    expect(name).toMatch(/^agent-a[0-9a-f]+$/);
    expect(readFileSync(join(path, 'file.txt'), 'utf8')).toBe('as it is\n');
    expect(readFileSync(join(path, 'made.txt'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(place.cwd, 'file.txt'), 'utf8')).toBe('as it was\n');
    expect(git('status', '--porcelain')).toBe('');
    expect(branches()).toEqual(['main', `worktree-${name}`]);
    const [outcome] = outcomes(lines);
    expect(outcome?.text).toContain(`${path} (branch worktree-${name})`);
    expect(outcome?.data).toMatchObject({ worktreePath: path, worktreeBranch: `worktree-${name}` });
    expect(lines.at(-1)).toMatchObject({ result: 'Done.', permission_denials: [] });
  });

  test('is told its directory, and its commands run there', async () => {
    const place = await placeOf([toolUse('Bash', { command: 'pwd' }), (request) => `It was ${lastText(request)}`]);
    const { names, branches, worktrees } = makeRepository(place);
    const { lines } = await runCli(GO, { place });
    const [outcome] = outcomes(lines);
    const [, path] = /It was ([^\\"]+)/.exec(outcome?.text ?? '') ?? [];
    expect(path).toMatch(new RegExp(`^${worktrees}/agent-a[0-9a-f]+$`));
    const asked = place.api.requests.find(({ body }) => JSON.stringify(body.messages).includes('CHILD go'));
    expect(JSON.stringify(asked?.body.messages)).toContain(path);
    // There is nothing in it: nothing of it is left, nor told.
    expect({ names: names(), branches: branches() }).toEqual({ names: [], branches: ['main'] });
    expect(outcome?.data).not.toHaveProperty('worktreePath');
  });

  test('in the background: its end says where its changes are', async () => {
    const place = await makePlace(
      cast<FakeApiRequest>({
        MAIN: [task('CHILD go', { ...ISOLATED, run_in_background: true }), 'I wait.', (request) => lastText(request)],
        CHILD: [toolUse('Write', { file_path: 'made.txt', content: 'new\n' }), 'Made.'],
      }),
    );
    const { names, worktrees } = makeRepository(place);
    const { lines } = await runCli(GO, { place });
    expect(names()).toHaveLength(1);
    expect(lines.at(-1)?.result).toContain(join(worktrees, names()[0] ?? ''));
  });

  test('where its kind asks for it', async () => {
    const place = await placeOf([toolUse('Write', { file_path: 'made.txt', content: 'new\n' }), 'Made.'], {
      subagent_type: 'apart',
    });
    const { names } = makeRepository(place);
    const agents = { apart: { description: 'works apart', prompt: 'Work.', isolation: 'worktree' } };
    await runCli([...GO, '--agents', JSON.stringify(agents)], { place });
    expect(names()).toHaveLength(1);
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false);
  });

  test('goes on in the same worktree', async () => {
    const agentOf = (request: FakeApiRequest) => /agentId: (a\w+)/.exec(lastText(request))?.[1] ?? '';
    const place = await makePlace(
      cast<FakeApiRequest>({
        MAIN: [
          task('CHILD go', ISOLATED),
          (request) => task('and now?', { resume: agentOf(request) }),
          (request) => lastText(request),
        ],
        CHILD: [
          toolUse('Write', { file_path: 'made.txt', content: 'new\n' }),
          'Made.',
          toolUse('Read', { file_path: 'made.txt' }),
          (request) => (lastText(request).includes('new') ? 'Still there.' : 'Gone.'),
        ],
      }),
    );
    const { names } = makeRepository(place);
    const { lines } = await runCli(GO, { place });
    expect(lines.at(-1)?.result).toContain('Still there.');
    expect(names()).toHaveLength(1);
  });

  test('hooks are told its directory', async () => {
    const place = await placeOf([toolUse('Read', { file_path: 'file.txt' }), 'Read.']);
    const { worktrees } = makeRepository(place);
    const command = `cat > ${join(place.root, 'told')}`;
    const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command }] }] };
    await runCli([...GO, '--settings', JSON.stringify({ hooks })], { place });
    const { cwd, agent_id } = JSON.parse(readFileSync(join(place.root, 'told'), 'utf8'));
    expect(cwd).toBe(join(worktrees, `agent-${agent_id}`));
  });

  test('two at once do not meet', async () => {
    const write = (text: string) => [toolUse('Write', { file_path: 'made.txt', content: text }), 'Made.'];
    const place = await makePlace(
      cast<FakeApiRequest>({
        MAIN: [[task('ONE go', ISOLATED, 'call-1'), task('TWO go', ISOLATED, 'call-2')], 'Done.'],
        ONE: write('of one'),
        TWO: write('of two'),
      }),
    );
    const { names, worktrees } = makeRepository(place);
    await runCli(GO, { place });
    const texts = names().map((name) => readFileSync(join(worktrees, name, 'made.txt'), 'utf8'));
    expect(texts.sort()).toEqual(['of one', 'of two']);
  });
});

describe('[B-208] what an agent in a worktree may do', () => {
  test('what is denied in the project is denied in its copy, and the project is none of its directories', async () => {
    const child = () => [
      toolUse('Read', { file_path: 'conf/secret.txt' }),
      toolUse('Read', { file_path: join(place.cwd, 'conf', 'secret.txt') }),
      toolUse('Write', { file_path: join(place.cwd, 'file.txt'), content: 'changed' }),
      'Nothing.',
    ];
    const place: Place = await makePlace((request) =>
      cast<FakeApiRequest>({ MAIN: [task('CHILD go', ISOLATED), 'Done.'], CHILD: child() })(request),
    );
    const { commit, names } = makeRepository(place);
    commit('conf/secret.txt', 'SECRET');
    put(join(place.cwd, '.claude', 'settings.json'), { permissions: { deny: ['Read(./conf/**)'] } });
    const { lines } = await runCli(GO, { place });
    expect(lines.at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'Read' }, { tool_name: 'Read' }, { tool_name: 'Write' }],
    });
    expect(JSON.stringify(place.api.requests.map(({ body }) => body))).not.toContain('SECRET');
    expect(readFileSync(join(place.cwd, 'file.txt'), 'utf8')).toBe('as it was\n');
    expect(names()).toEqual([]);
  });

  test.each([
    ['without a repository', () => {}, ISOLATED, /is in no git repository/],
    ['in a cloud', makeRepository, { subagent_type: 'afar' }, /there is no isolation/],
  ])('%s it is not started', async (_where, prepare, more, text) => {
    const place = await placeOf([], more);
    prepare(place);
    const agents = { afar: { description: 'works afar', prompt: 'Work.', isolation: 'remote' } };
    const { lines } = await runCli([...GO, '--agents', JSON.stringify(agents)], { place });
    expect(outcomes(lines)).toEqual([expect.objectContaining({ isError: true, text: expect.stringMatching(text) })]);
    expect(place.api.requests).toHaveLength(2);
  });
});

describe('[B-208] hooks with a condition', () => {
  test.each([
    ['Write(/conf/**)', 0],
    ['Write(./conf/**)', 0],
    ['Write(/other/**)', 1],
  ])('if: %s means the copy as well', async (condition, left) => {
    const own = (request: FakeApiRequest) => {
      const [path = ''] = /\/\S*\/worktrees\/agent-a[0-9a-f]+/.exec(JSON.stringify(request.body)) ?? [];
      return toolUse('Write', { file_path: `${path}/conf/made.txt`, content: 'new\n' });
    };
    const place = await placeOf([own, 'Done.']);
    const { names } = makeRepository(place);
    const hook = { type: 'command', command: 'echo no >&2; exit 2', if: condition };
    put(join(place.home, 'settings.json'), { hooks: { PreToolUse: [{ hooks: [hook] }] } });
    await runCli(GO, { place });
    expect(names()).toHaveLength(left);
  });
});

describeSandboxed('[B-208, SBX-01] the commands of an agent in a worktree, confined', () => {
  test('write there, and not to the project', async () => {
    const child = () => [
      toolUse('Bash', { command: `echo new > made.txt; echo changed > ${join(place.cwd, 'file.txt')}` }),
      'Done.',
    ];
    const place: Place = await makePlace((request) =>
      cast<FakeApiRequest>({ MAIN: [task('CHILD go', ISOLATED), 'Done.'], CHILD: child() })(request),
    );
    const { names, worktrees } = makeRepository(place);
    const settings = JSON.stringify({ sandbox: { enabled: true, autoAllowBashIfSandboxed: true } });
    await runCli([...GO, '--settings', settings], { place });
    expect(readFileSync(join(worktrees, names()[0] ?? '', 'made.txt'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(place.cwd, 'file.txt'), 'utf8')).toBe('as it was\n');
  });
});
