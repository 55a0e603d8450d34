import { expect, test } from 'vitest';
import { countCall, toolStats } from '../../../src/agent/calls/tool-stats.ts';
import { Ledger } from '../../../src/agent/ledger.ts';

test('calls are counted by what they do, lines by what was added and taken away', () => {
  const session = new Ledger({ onUnknownModel: () => {} });
  const stats = session.child();
  countCall(session, 'Read', {});
  for (const name of ['Read', 'Grep', 'Glob', 'Bash', 'TodoWrite', 'mcp__a__b']) countCall(stats, name, {});
  countCall(stats, 'Edit', { structuredPatch: [{ lines: [' same', '-old', '+new', '+more'] }, { lines: ['-gone'] }] });
  countCall(stats, 'Write', { type: 'create', content: 'one\ntwo\n', structuredPatch: [] });
  countCall(stats, 'Write', { type: 'create', content: 'no end', structuredPatch: [] });
  countCall(stats, 'Edit', 'Error: not found');
  const counted = {
    readCount: 1,
    searchCount: 2,
    bashCount: 1,
    editFileCount: 4,
    linesAdded: 5,
    linesRemoved: 2,
    otherToolCount: 2,
  };
  expect(toolStats(stats)).toEqual(counted);
  expect(toolStats(session)).toEqual({ ...counted, readCount: 2 });
});
