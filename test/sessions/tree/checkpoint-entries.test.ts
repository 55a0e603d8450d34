import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  backupName,
  type Checkpoint,
  isBackupName,
  lineage,
  NOT_SAVED,
  readSnapshots,
  snapshotsOn,
  stateAt,
  toCheckpoint,
  toSnapshot,
} from '../../../src/sessions/tree/checkpoint-entries.ts';
import type { Entry, FileBackup } from '../../../src/wire/entries.ts';
import { golden, treeOf } from '../support.ts';

const kept = (version: number): FileBackup => ({ backupFileName: `0123456789abcdef@v${version}`, version });
const absent: FileBackup = { backupFileName: null, version: 1 };

function snapshot(prompt: string, files: Record<string, FileBackup>, update?: { by: string }): Entry {
  return {
    type: 'file-history-snapshot',
    messageId: update?.by ?? prompt,
    snapshot: { messageId: prompt, trackedFileBackups: files, timestamp: 't' },
    isSnapshotUpdate: update !== undefined,
  };
}

function checkpoint(messageId: string, files: Record<string, FileBackup>): Checkpoint {
  return { messageId, timestamp: 't', files: new Map(Object.entries(files)), lost: new Map() };
}

describe('reading snapshots', () => {
  test('[CHK-02] full ones are a list', () => {
    const entries = [snapshot('u1', {}), snapshot('u2', { a: kept(1) })];
    expect(readSnapshots(entries).map(({ messageId }) => messageId)).toEqual(['u1', 'u2']);
  });

  test('[CHK-03] an update replaces the last one of its message, or is added', () => {
    const entries = [
      snapshot('u1', {}),
      snapshot('u1', { a: absent }, { by: 'a1' }),
      snapshot('u2', { a: absent }),
      snapshot('u1', { a: absent, b: kept(1) }, { by: 'a1' }),
      snapshot('u3', { c: kept(1) }, { by: 'a3' }),
    ];
    expect(readSnapshots(entries).map(({ messageId, trackedFileBackups }) => [messageId, trackedFileBackups])).toEqual([
      ['u1', { a: absent, b: kept(1) }],
      ['u2', { a: absent }],
      ['u3', { c: kept(1) }],
    ]);
  });

  test('[CHK-01, CHK-04] only those of the messages on a path', () => {
    const entries = [
      snapshot('u1', {}),
      snapshot('u2', { left: kept(1) }),
      snapshot('u2', { left: kept(1), more: absent }, { by: 'a2' }),
      snapshot('u3', { right: kept(1) }),
    ];
    const on = (...messages: string[]) => snapshotsOn(messages, entries).map((each) => each.trackedFileBackups);
    expect(on('u1', 'a1', 'u2', 'a2')).toEqual([{}, { left: kept(1), more: absent }]);
    expect(on('u1', 'a1', 'u3')).toEqual([{}, { right: kept(1) }]);
  });

  test('what makes no sense is left out, and the rest is read', () => {
    const files = {
      good: kept(1),
      number: 7,
      name: { backupFileName: 7, version: 1 },
      version: { backupFileName: null },
    };
    const entries = [
      snapshot('u1', files as unknown as Record<string, FileBackup>),
      { type: 'file-history-snapshot', messageId: 'u2' },
      { type: 'file-history-snapshot', messageId: 'u3', snapshot: { messageId: 'u3', trackedFileBackups: [] } },
      { type: 'user', messageId: 'u4', snapshot: { messageId: 'u4' } },
    ];
    expect(readSnapshots(entries)).toEqual([
      { messageId: 'u1', trackedFileBackups: { good: kept(1) }, timestamp: 't' },
      { messageId: 'u3', trackedFileBackups: {}, timestamp: '' },
    ]);
  });

  test('those of the reference', () => {
    const entries = golden('checkpoint.2.1.44.session');
    const tree = treeOf(entries);
    expect(snapshotsOn(lineage(tree, 'U17'), entries)).toEqual(readSnapshots(entries));
    expect(readSnapshots(entries).map(({ messageId }) => messageId)).toEqual(['U2', 'U8', 'U16']);
  });
});

describe('paths', () => {
  const files = { '/w/a.txt': kept(1), '/w/sub/b.txt': absent, '/elsewhere/c.txt': kept(2), '/w/..odd': kept(1) };

  test('are relative to the working directory where they lie inside, and come back whole', () => {
    const written = toSnapshot('/w', checkpoint('u1', files));
    expect(Object.keys(written.trackedFileBackups)).toEqual(['a.txt', 'sub/b.txt', '/elsewhere/c.txt', '..odd']);
    expect(toCheckpoint('/w', written)).toEqual(checkpoint('u1', files));
  });

  test('a copy is named by its path and version, and nothing else is a name', () => {
    const hash = createHash('sha256').update('/w/a.txt').digest('hex').slice(0, 16);
    expect(backupName('/w/a.txt', 3)).toBe(`${hash}@v3`);
    expect(isBackupName(`${hash}@v3`)).toBe(true);
    for (const name of ['../x', `../${hash}@v3`, `${hash}@v3/..`, '', '.', `${hash}@v0`, `${hash}@v3\n`]) {
      expect([name, isBackupName(name)]).toEqual([name, false]);
    }
  });
});

describe('the state at a message', () => {
  const history = [
    checkpoint('u1', { '/a': absent }),
    checkpoint('u2', { '/a': kept(2), '/b': kept(1) }),
    checkpoint('u3', { '/a': kept(2), '/b': kept(2), '/c': absent }),
  ];

  test('holds files that were first tracked later as they were found', () => {
    expect(stateAt(history, 'u1')).toEqual(new Map(Object.entries({ '/a': absent, '/b': kept(1), '/c': absent })));
    expect(stateAt(history, 'u2')?.get('/b')).toEqual(kept(1));
    expect(stateAt(history, 'u3')?.get('/b')).toEqual(kept(2));
  });

  test('says when nothing of that moment was kept', () => {
    const gap = [checkpoint('u1', { '/a': kept(1) }), checkpoint('u2', {}), checkpoint('u3', { '/a': kept(3) })];
    expect(stateAt(gap, 'u2')).toEqual(new Map([['/a', { reason: NOT_SAVED }]]));
    expect(stateAt(gap, 'unknown')).toBe(null);
  });

  test('what was lost is not as it was found later, but is known again from then on', () => {
    const lost = { ...checkpoint('u2', {}), lost: new Map([['/a', 'gone']]) };
    const history = [checkpoint('u1', {}), lost, checkpoint('u3', { '/a': kept(1) })];
    expect(stateAt(history, 'u1')).toEqual(new Map([['/a', { reason: 'gone' }]]));
    expect(stateAt(history, 'u2')).toEqual(new Map([['/a', { reason: 'gone' }]]));
    expect(stateAt(history, 'u3')).toEqual(new Map([['/a', kept(1)]]));
  });
});

test('the lineage of a message leads across compactions', () => {
  const node = (uuid: string, parentUuid: string | null, more: object = {}): Entry => {
    return { type: 'user', uuid, parentUuid, message: { role: 'user', content: uuid }, ...more };
  };
  const boundary = { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'b' };
  const entries = [
    node('a', null),
    node('b', 'a'),
    node('other', 'a'),
    node('edge', null, boundary),
    node('sum', 'edge'),
    node('c', 'sum'),
  ];
  expect(lineage(treeOf(entries), 'c')).toEqual(['a', 'b', 'edge', 'sum', 'c']);
  expect(lineage(treeOf(entries), 'nowhere')).toEqual([]);
});
