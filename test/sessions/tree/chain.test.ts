import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../../src/sessions/entry-fields.ts';
import { activeLeaf, pathTo } from '../../../src/sessions/tree/build-tree.ts';
import { type Chain, createChain } from '../../../src/sessions/tree/chain.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { ToolResultBlock } from '../../../src/wire/api/content.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { golden, treeOf, uuids } from '../support.ts';

function makeChain(facts: { isSidechain?: boolean; agentId?: string; parentUuid?: string | null } = {}): Chain {
  return createChain({
    cwd: '<cwd>',
    sessionId: 'S1',
    version: '2.1.44',
    gitBranch: 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: null,
    clock: { now: () => Date.UTC(2025, 0, 2, 3, 4, 5, 6) },
    ...facts,
  });
}

/** A recorded entry with its fields under the types that this version writes. */
interface Recorded {
  uuid: string;
  slug?: string;
  message: JsonObject;
  operation: 'dequeue';
  content: string;
  requestId?: string;
  error?: string;
  data: JsonObject;
  toolUseID: string;
  parentToolUseID: string;
  sourceToolAssistantUUID: string;
  compactMetadata: { trigger: 'auto'; preTokens: number };
}

/** Makes a recorded entry again. */
function again(chain: Chain, entry: Entry): Entry {
  const fields = entry as unknown as Recorded;
  if (fields.slug !== undefined) chain.assignPlanName(fields.slug);
  switch (entry.type) {
    case 'queue-operation':
      return chain.queueOperation(fields.operation);
    case 'assistant':
      return chain.assistantEntry(fields.message, fields);
    case 'progress':
      return chain.progressEntry(fields.data, fields);
    case 'system':
      return chain.compactBoundary(fields.content, { uuid: fields.uuid, ...fields.compactMetadata });
    default: {
      const [block] = blocksOf(entry);
      if (block?.type !== 'tool_result') return chain.userEntry(fields.message, fields);
      return chain.toolResultEntry(block as unknown as ToolResultBlock, fields);
    }
  }
}

/** As text, so that the order of the keys counts; times are 0 in the recordings. */
function normalized(entry: Entry): string {
  return JSON.stringify({ ...entry, timestamp: 0 });
}

describe('[SES-26] [SES-28] entries are what the reference writes, key by key', () => {
  test.each([
    'multi.2.1.44.session',
    'read.2.1.44.session',
    'in-two-turns.2.1.44.session',
    'ctl-interrupt-tool.2.1.44.session',
    'sh-all-read.2.1.44.session',
    'skill.2.1.44.session',
    'badrequest.2.1.44.session',
    'compact-auto.2.1.44.session',
  ])('%s', (name) => {
    const chain = makeChain();
    const recorded = golden(name);
    expect(recorded.map((entry) => normalized(again(chain, entry)))).toEqual(recorded.map(normalized));
  });

  test('a subagent transcript carries its agent id', () => {
    const chain = makeChain({ isSidechain: true, agentId: 'A1' });
    const recorded = golden('sub.2.1.44.subagent-A1');
    expect(recorded.map((entry) => normalized(again(chain, entry)))).toEqual(recorded.map(normalized));
  });
});

describe('the leaf', () => {
  const message = { role: 'user', content: 'x' };

  test('starts where it is told and follows each entry, queue operations apart', () => {
    const chain = makeChain({ parentUuid: 'before' });
    expect(chain.userEntry(message, { uuid: 'u1' }).parentUuid).toBe('before');
    chain.queueOperation('enqueue', 'x');
    expect(chain.attachmentEntry({ type: 'file', content: 'c' }, { uuid: 'u2' }).parentUuid).toBe('u1');
    expect(chain.systemEntry('informational', { uuid: 'u3', level: 'warning' }).parentUuid).toBe('u2');
    expect(chain.leaf).toBe('u3');
  });

  test('parallel results hang from their calls, what follows from the last of them', () => {
    const chain = makeChain();
    const reply = { id: 'm', content: [] };
    chain.userEntry(message, { uuid: 'p' });
    chain.assistantEntry(reply, { uuid: 'a1' });
    chain.assistantEntry(reply, { uuid: 'a2' });
    const answer = (uuid: string, from: string) =>
      chain.toolResultEntry({ type: 'tool_result', tool_use_id: 't' }, { uuid, sourceToolAssistantUUID: from });
    expect(answer('r2', 'a2').parentUuid).toBe('a2');
    expect(answer('r1', 'a1').parentUuid).toBe('a1');
    expect(chain.assistantEntry(reply, { uuid: 'a3' }).parentUuid).toBe('r1');
  });

  test('[SES-27] [K41] can be moved to another node, or to a new root', () => {
    const chain = makeChain({ parentUuid: 'x' });
    chain.moveTo('elsewhere');
    expect(chain.userEntry(message, { uuid: 'u1' }).parentUuid).toBe('elsewhere');
    chain.moveTo(null);
    expect(chain.userEntry(message, { uuid: 'u2' }).parentUuid).toBe(null);
  });

  test('[SES-27] a compaction boundary is a root that remembers where it came from', () => {
    const chain = makeChain({ parentUuid: 'old' });
    const boundary = chain.compactBoundary('Compacted', { uuid: 'b', trigger: 'auto', preTokens: 9 });
    expect(boundary).toMatchObject({ parentUuid: null, logicalParentUuid: 'old', subtype: 'compact_boundary' });
    const summary = chain.userEntry(message, { uuid: 's', isCompactSummary: true });
    expect(summary).toMatchObject({ parentUuid: 'b', isVisibleInTranscriptOnly: true, isCompactSummary: true });
  });

  test('[S-4] what a chain made is read back as one path, in order', () => {
    const chain = makeChain();
    const entries = [
      chain.userEntry(message, { uuid: 'p' }),
      chain.assistantEntry({ id: 'm', content: [{ type: 'text', text: 'x' }] }, { uuid: 'a', requestId: 'r' }),
      chain.userEntry(message, { uuid: 'q' }),
    ];
    const tree = treeOf(entries);
    expect(uuids(pathTo(tree, activeLeaf(tree).leaf?.id ?? ''))).toEqual(['p', 'a', 'q']);
    expect(tree.findings).toEqual([]);
  });
});

test('times are instants in UTC', () => {
  expect(makeChain().queueOperation('dequeue').timestamp).toBe('2025-01-02T03:04:05.006Z');
});
