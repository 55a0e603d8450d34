import { describe, expect, test } from 'vitest';
import { sessionSummary } from '../../../src/sessions/files/transcript-summary.ts';
import { toApiMessages } from '../../../src/sessions/replay/replay.ts';
import { getSessionMessages } from '../../../src/sessions/stored/messages.ts';
import { activeLeaf, leafByTimestamp, pathTo } from '../../../src/sessions/tree/build-tree.ts';
import { snapshotsOn } from '../../../src/sessions/tree/checkpoint-entries.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { sessionHome } from '../session-home.ts';
import { assistant, treeOf, user, uuids } from '../support.ts';

/** The examples of the format's first description, as they stand there. */
const at = (n: number) => `2025-01-01T00:00:0${n}Z`;

/** The leaves, where it goes on, and the way there. */
function reading(entries: readonly Entry[], leafUuid?: string) {
  const tree = treeOf(entries);
  const { leaf } = activeLeaf(tree, leafUuid);
  return {
    leaves: tree.leaves.map(({ id }) => id),
    latest: leafByTimestamp(tree)?.id,
    path: uuids(pathTo(tree, leaf?.id ?? '')),
  };
}

describe('a conversation that was tried another way', () => {
  const snapshot = (messageId: string): Entry => ({
    type: 'file-history-snapshot',
    messageId,
    snapshot: { messageId, trackedFileBackups: {}, timestamp: at(1) },
    isSnapshotUpdate: false,
  });
  const messages = [
    user('m1', 'one', { at: at(1) }),
    assistant('m2', 'two', { parent: 'm1', at: at(2) }),
    user('m3', 'three', { parent: 'm2', at: at(3) }),
    assistant('m4', 'four', { parent: 'm3', at: at(4) }),
    user('m5', 'five', { parent: 'm1', at: at(5) }),
    assistant('m6', 'six', { parent: 'm5', at: at(6) }),
  ];
  const file = [
    ...messages,
    snapshot('m3'),
    snapshot('m5'),
    { type: 'summary', leafUuid: 'm6', summary: 'another approach' },
    { type: 'custom-title', sessionId: 'abc-123', customTitle: 'an experiment' },
  ];

  test('[SES-12, SES-13, SES-15] leaves m4 and m6, the latest is m6, the path m1 m5 m6', () => {
    expect(reading(file)).toEqual({ leaves: ['m4', 'm6'], latest: 'm6', path: ['m1', 'm5', 'm6'] });
  });

  test('[SES-14] the other branch, when its leaf is asked for', () => {
    expect(reading(file, 'm4').path).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  test('[SES-18] what links the entries does not go to the model', () => {
    const sent = JSON.stringify(toApiMessages(messages));
    expect(sent).toContain('six');
    expect(sent).not.toMatch(/parentUuid|isSidechain|uuid|timestamp/);
  });

  test('[SES-38, CHK-04] its record: id, messages of the branch, title, and the snapshots of the branch', async () => {
    const { sessionId, path } = sessionHome().session(file);
    expect(sessionSummary(path)).toMatchObject({ sessionId, customTitle: 'an experiment', summary: 'an experiment' });
    expect((await getSessionMessages(path)).map(({ uuid }) => uuid)).toEqual(['m1', 'm5', 'm6']);
    expect(snapshotsOn(['m1', 'm5', 'm6'], file).map(({ messageId }) => messageId)).toEqual(['m5']);
  });

  test('[SES-11] a bad line in between costs only itself', async () => {
    const lines = file.map((entry) => JSON.stringify(entry));
    const { path } = sessionHome().session([...lines.slice(0, 2), '{"type":"user","uu', ...lines.slice(2)]);
    expect((await getSessionMessages(path)).map(({ uuid }) => uuid)).toEqual(['m1', 'm5', 'm6']);
  });
});

describe('a message that was edited and sent again', () => {
  test('[SES-29, SES-31] m3 stays, and it goes on from m5', () => {
    const file = [
      user('m1', 'one', { at: at(1) }),
      assistant('m2', 'two', { parent: 'm1', at: at(2) }),
      user('m3', 'three', { parent: 'm2', at: at(3) }),
      user('m4', 'one, edited', { parent: 'm1', at: at(4) }),
      assistant('m5', 'other', { parent: 'm4', at: at(5) }),
    ];
    expect(reading(file)).toEqual({ leaves: ['m3', 'm5'], latest: 'm5', path: ['m1', 'm4', 'm5'] });
  });

  test('[SES-29, SES-30] the new one hangs from the parent of the edited one, which may be an answer', () => {
    const file = [
      user('m1', 'one', { at: at(1) }),
      assistant('m2', 'two', { parent: 'm1', at: at(2) }),
      user('m3', 'three', { parent: 'm2', at: at(3) }),
      assistant('m4', 'four', { parent: 'm3', at: at(4) }),
      user('m5', 'three, edited', { parent: 'm2', at: at(5) }),
      assistant('m6', 'other', { parent: 'm5', at: at(6) }),
    ];
    expect(reading(file)).toEqual({ leaves: ['m4', 'm6'], latest: 'm6', path: ['m1', 'm2', 'm5', 'm6'] });
  });
});

test('[SES-20] a file without messages is a session without a leaf', async () => {
  expect(reading([])).toEqual({ leaves: [], latest: undefined, path: [] });
  const { path } = sessionHome().session([{ type: 'custom-title', customTitle: 'nothing yet' }]);
  expect(await getSessionMessages(path)).toEqual([]);
});
