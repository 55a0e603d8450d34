import { describe, expect, test } from 'vitest';
import { GRANTS, grantFaults, MOVES, moveFaults, STARTS, startFaults } from '../support/hostile-project.ts';
import { tally } from './tally.ts';

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'].map((mode) => [
  '--permission-mode',
  mode,
]);

describe('[R-12] an untrusted project starts nothing, in whatever mode', () => {
  const check = tally(['R-12'], `starts (${Object.keys(STARTS).length} vectors)`, 'run');

  test.each(Object.entries(STARTS))('%s', async (_name, project) => {
    for (const mode of MODES) check(await startFaults(project, ...mode));
  });

  test('each of them is one that a trusted project has, or that nothing may start at all', async () => {
    const started: string[] = [];
    for (const [name, project] of Object.entries(STARTS)) {
      const faults = await startFaults(project, '--trust');
      if (faults.length > 0) started.push(name);
    }
    // The others are for surfaces that a print run has not: status lines, other clouds, git's own hooks.
    expect(started).toEqual(
      expect.arrayContaining(['a hook for SessionStart', 'a hook for Stop', 'a server of its own']),
    );
  });
});

describe('[R-13] an untrusted project grants itself nothing', () => {
  const check = tally(['R-13'], 'grants', 'taken');
  const modes = [[], ['--permission-mode', 'default'], ['--permission-mode', 'dontAsk'], ['--add-dir', '.']];

  test.each(Object.entries(GRANTS))('%s', async (_name, grants) => {
    for (const flags of modes) check(await grantFaults(grants, ...flags));
  });
});

describe('[R-14] no project moves the endpoint, trusted or not', () => {
  const check = tally(['R-14'], 'moves of the endpoint', 'keys leaked');
  const how = [[], ['--trust'], ['--setting-sources', 'project,local'], ['--setting-sources', 'user,project,local']];

  test.each(Object.entries(MOVES))('%s', async (_name, move) => {
    for (const flags of how) check(await moveFaults(move, ...flags));
  });
});
