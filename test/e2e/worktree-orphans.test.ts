import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { makeRepository } from '../support/git-repository.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

/** Runs a session in a worktree, and kills it when it has answered. */
async function killed(place: Place, ...flags: string[]): Promise<void> {
  const cli = startCli([...STREAM_BOTH, '--permission-mode', 'acceptEdits', ...flags], { place });
  cli.say('go');
  await cli.nextResult();
  cli.child.kill('SIGKILL');
  await cli.finished;
}

const leases = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.lease'));

describe('[B-237] after kill -9', () => {
  test('a worktree without work is gone with the next one', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const { names, branches, worktrees } = makeRepository(place);
    await killed(place, '-w');
    const [left] = names();
    expect(left).toMatch(/^session-/);
    const doctor = await runCli(['doctor', '--json'], { place });
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ id: 'worktrees', facts: expect.objectContaining({ left: [left] }) }),
    );
    await runCli([...STREAM_OUT, 'go', '-w', 'other'], { place });
    expect(names()).toEqual(['other']);
    expect(branches()).toEqual(['main', 'worktree-other']);
    expect(leases(worktrees)).toEqual([]);
  });

  test('[R-12] and filters that its own configuration names do not run while it goes', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const { git, commit, names, worktrees } = makeRepository(place);
    commit('.gitattributes', '*.txt filter=trap\n');
    await killed(place, '-w');
    const [left = ''] = names();
    const fired = join(place.root, 'fired');
    git('config', 'extensions.worktreeConfig', 'true');
    const own = join(place.cwd, '.git', 'worktrees', left, 'config.worktree');
    put(own, `[filter "trap"]\n\tclean = "touch ${fired}; cat"\n`);
    utimesSync(join(worktrees, left, 'file.txt'), 1, 1); // so that git looks into it
    await runCli([...STREAM_OUT, 'go', '-w', 'other'], { place });
    expect({ names: names(), fired: existsSync(fired) }).toEqual({ names: ['other'], fired: false });
  });

  test('one with work stays', async () => {
    const place = await makePlace([toolUse('Write', { file_path: 'made.txt', content: 'new' }), 'First.', 'Second.']);
    const { names, worktrees } = makeRepository(place);
    await killed(place, '-w');
    const [left = ''] = names();
    await runCli([...STREAM_OUT, 'go', '-w', 'other'], { place });
    expect(names().sort()).toEqual(['other', left]);
    expect(existsSync(join(worktrees, left, 'made.txt'))).toBe(true);
  });

  test('one with a name stays, and can be entered again', async () => {
    const place = await makePlace(['First.', 'Second.', 'Third.']);
    const { names } = makeRepository(place);
    await killed(place, '-w', 'mine');
    await runCli([...STREAM_OUT, 'go', '-w', 'other'], { place });
    expect(names().sort()).toEqual(['mine', 'other']);
    const { lines } = await runCli([...STREAM_OUT, 'go', '-w', 'mine'], { place });
    expect(lines.at(-1)).toMatchObject({ result: 'Third.' });
  });

  test('one that git had not finished is made anew', async () => {
    const place = await makePlace(['Done.']);
    const { git, worktrees } = makeRepository(place);
    git('worktree', 'add', '--quiet', '--no-checkout', '-b', 'worktree-mine', join(worktrees, 'mine'));
    put(join(place.cwd, '.git', 'worktrees', 'mine', 'locked'), 'initializing');
    const { code } = await runCli([...STREAM_OUT, 'go', '-w', 'mine'], { place });
    expect({ code, isWhole: existsSync(join(worktrees, 'mine', 'file.txt')) }).toEqual({ code: 0, isWhole: true });
  });
});
