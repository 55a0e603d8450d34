import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { makeRepository } from '../support/git-repository.ts';
import { makePlace } from '../support/place.ts';

/** How the configuration of a repository may hide a filter from whoever looks for its filters. */
const HIDDEN: Record<string, (filter: Buffer) => Buffer> = {
  'in what is included in a worktree only': () => Buffer.from('[includeIf "gitdir:**/worktrees/**"]\n\tpath = more\n'),
  'in what is included on the branch of a worktree only': () =>
    Buffer.from('[includeIf "onbranch:worktree-*"]\n\tpath = more\n'),
  'behind a megabyte of others': (filter) =>
    Buffer.concat([Buffer.from('[filter "other"]\n\tsmudge = cat\n'.repeat(50_000)), filter]),
};

describe('[R-12, B-237] filters that a repository hides from a look at its configuration', () => {
  test.each(Object.keys(HIDDEN))('%s', async (how) => {
    const place = await makePlace(['Done.']);
    const { commit } = makeRepository(place);
    commit('.gitattributes', '*.txt filter=trap\n');
    const fired = join(place.root, 'fired');
    const command = `touch ${fired}; cat`;
    const filter = Buffer.from(`[filter "trap"]\n\tsmudge = "${command}"\n\tclean = "${command}"\n`);
    writeFileSync(join(place.cwd, '.git', 'more'), filter);
    appendFileSync(join(place.cwd, '.git', 'config'), HIDDEN[how]?.(filter) ?? '');
    const { code, stderr } = await runCli([...STREAM_OUT, 'go', '-w'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The project is not trusted') });
    expect(existsSync(fired)).toBe(false);
  });

  test('by a name that is no text', async () => {
    const place = await makePlace(['Done.']);
    const { commit, git } = makeRepository(place);
    const fired = join(place.root, 'fired');
    const named = (before: string, after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    writeFileSync(join(place.cwd, '.gitattributes'), named('*.txt filter=', '\n'));
    git('add', '.gitattributes');
    commit('other.txt', '');
    appendFileSync(join(place.cwd, '.git', 'config'), named('[filter "', `"]\n\tsmudge = "touch ${fired}; cat"\n`));
    const { code, stderr } = await runCli([...STREAM_OUT, 'go', '-w'], { place });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The project is not trusted') });
    expect(existsSync(fired)).toBe(false);
  });
});
