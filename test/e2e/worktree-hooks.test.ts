import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FakeApiRequest } from '../../src/testing/index.ts';
import { toolUse } from '../../src/testing/index.ts';
import { cast, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { initOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

/** Directories that no git has anything to do with. */
function worktreeHooks(
  place: Place,
  { create = '', remove = '' }: { create?: string; remove?: string } = {},
): string[] {
  const copies = join(place.root, 'copies');
  mkdirSync(copies, { recursive: true });
  const input = (name: string) => `cat > ${join(place.root, name)}`;
  const made = `d=${copies}/$(sed 's/.*"name":"\\([^"]*\\)".*/\\1/' ${join(place.root, 'created')}); mkdir -p $d; echo Making it; echo $d`;
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  const hooks = {
    WorktreeCreate: hook(create || `${input('created')}; ${made}`),
    WorktreeRemove: hook(remove || `${input('removed')}; rm -r ${copies}/*`),
  };
  return ['--settings', put(join(place.root, 'settings.json'), { hooks })];
}

const told = (place: Place, name: string) => JSON.parse(readFileSync(join(place.root, name), 'utf8'));

describe('[B-185] hooks in the place of git', () => {
  test('make the directory that a session runs in, and are asked to remove it', async () => {
    const place = await makePlace(['Done.']);
    const { code, lines, stderr } = await runCli([...STREAM_OUT, 'go', ...worktreeHooks(place), '-w'], { place });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const created = told(place, 'created');
    expect(created).toMatchObject({ hook_event_name: 'WorktreeCreate', name: expect.stringMatching(/^session-/) });
    const path = join(place.root, 'copies', created.name);
    expect(initOf(lines)).toMatchObject({ cwd: path });
    expect(told(place, 'removed')).toMatchObject({ hook_event_name: 'WorktreeRemove', worktree_path: path });
    expect(existsSync(path)).toBe(false);
  });

  test('leave one that has a name', async () => {
    const place = await makePlace(['Done.']);
    await runCli([...STREAM_OUT, 'go', ...worktreeHooks(place), '-w', 'mine'], { place });
    expect(existsSync(join(place.root, 'copies', 'mine'))).toBe(true);
    expect(existsSync(join(place.root, 'removed'))).toBe(false);
  });

  test.each([
    ['fail', 'echo broken >&2; exit 1', /no WorktreeCreate hook has named/],
    ['object', 'echo not now >&2; exit 2', /not now/],
    ['name nothing', 'true', /no WorktreeCreate hook has named/],
    ['name what is not there', 'echo /no/such/directory', /must name the directory that it made/],
    ['name what holds the project', 'echo /', /must name the directory that it made/],
  ])('that %s start nothing', async (_what, create, text) => {
    const place = await makePlace([]);
    const { code, stderr } = await runCli(['-p', 'go', ...worktreeHooks(place, { create }), '-w'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(text) });
    expect(place.api.requests).toHaveLength(0);
  });

  test('of an untrusted project do not act', async () => {
    const place = await makePlace([]);
    const [, file = ''] = worktreeHooks(place);
    put(join(place.cwd, '.claude', 'settings.json'), readFileSync(file, 'utf8'));
    const { code, stderr } = await runCli(['-p', 'go', '-w'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is in no git repository') });
    expect(existsSync(join(place.root, 'created'))).toBe(false);
  });

  test('a callback of the host makes the directory of an agent', async () => {
    const place = await makePlace(
      cast<FakeApiRequest>({
        MAIN: [task('CHILD go', { isolation: 'worktree' }), 'Done.'],
        CHILD: [toolUse('Write', { file_path: 'made.txt', content: 'new' }), 'Made.'],
      }),
    );
    const copy = join(place.root, 'copy');
    mkdirSync(copy);
    const cli = startCli([...STREAM_BOTH, '--permission-mode', 'acceptEdits'], { place });
    const hooks = {
      WorktreeCreate: [{ hookCallbackIds: ['make'] }],
      WorktreeRemove: [{ hookCallbackIds: ['remove'] }],
    };
    const asked: unknown[] = [];
    const answers: Record<string, object> = {
      make: { hookSpecificOutput: { hookEventName: 'WorktreeCreate', worktreePath: copy } },
    };
    const initialized = cli.control({ subtype: 'initialize', hooks });
    cli.say('MAIN go');
    for (const id of ['make', 'remove']) {
      const line = await cli.next(({ type, request }) => type === 'control_request' && isFor(request, id));
      const { input } = line.request as { input: Record<string, unknown> };
      asked.push({ event: input.hook_event_name, name: input.name, path: input.worktree_path });
      const response = { subtype: 'success', request_id: line.request_id, response: answers[id] ?? {} };
      cli.send({ type: 'control_response', response });
    }
    await cli.nextResult();
    await initialized;
    cli.endInput();
    await cli.finished;
    expect(asked).toEqual([
      { event: 'WorktreeCreate', name: expect.stringMatching(/^agent-a/), path: undefined },
      { event: 'WorktreeRemove', name: undefined, path: copy },
    ]);
    expect(readFileSync(join(copy, 'made.txt'), 'utf8')).toBe('new');
    expect(existsSync(join(place.cwd, 'made.txt'))).toBe(false);
  });
});

function isFor(request: unknown, id: string): boolean {
  return (request as { callback_id?: unknown }).callback_id === id;
}
