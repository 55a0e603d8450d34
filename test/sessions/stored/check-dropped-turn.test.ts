import { describe, expect, test } from 'vitest';
import { checkDroppedTurn } from '../../../src/sessions/stored/check-dropped-turn.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { assistant, call, result, treeOf, user } from '../support.ts';

/** Each hangs from the one before. */
function chained(...entries: Entry[]): Entry[] {
  return entries.map((entry, at) => ({ ...entry, parentUuid: entries[at - 1]?.uuid ?? null }));
}

const kept = [user('p1', 'one'), assistant('a1', 'first')];
const turn = [user('p2', 'two'), assistant('a2', [call('c2')]), result('r2', 'c2'), assistant('a3', 'second')];
const attachment = (uuid: string, type: string): Entry => ({ type: 'attachment', uuid, attachment: { type } });
const failed = user('r1', [{ type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true }]);
const mark = user('i1', '[Request interrupted by user for tool use]');

function check(entries: readonly Entry[]) {
  return () => checkDroppedTurn(treeOf(entries), { at: 'a1', turn: 'p2' });
}

describe('a resume that may drop one turn', () => {
  test.each<[string, Entry[]]>([
    ['that turn', [...kept, ...turn]],
    ['nothing at all', kept],
    ['what the runtime added', [...kept, user('m1', 'told', { isMeta: true }), ...turn, attachment('x1', 'memory')]],
    ['the marks of an interrupt before it', [...kept, failed, mark, ...turn]],
    ['that turn, and keeps a result before it', [...kept, result('r1', 'c1'), ...turn]],
    ['that turn, and keeps an output before it', [...kept, attachment('x1', 'structured_output'), ...turn]],
    ['the mark of its own interrupt', [...kept, ...turn, mark]],
    ['the output of that turn', [...kept, ...turn, attachment('x1', 'structured_output')]],
  ])('[B-069] drops %s', (_what, entries) => {
    expect(check(chained(...entries))).not.toThrow();
  });

  test.each<[string, Entry[], string]>([
    ['a message that joined it', [...kept, ...turn, user('q1', 'and this')], 'q1'],
    ['a task that reported back', [...kept, ...turn, user('q1', '<task-notification>…')], 'q1'],
    ['a message that was queued', [...kept, ...turn, attachment('q1', 'queued_command')], 'q1'],
    ['another turn before it', [...kept, user('p0', 'between'), ...turn], 'p0'],
    ['the last answer of the turn before', [...kept, assistant('a9', 'still one'), ...turn], 'a9'],
    ['a turn that is not there', [...kept, user('p3', 'three'), assistant('a3', 'third')], 'p3'],
  ])('[B-069] does not drop %s', (_what, entries, uuid) => {
    expect(check(chained(...entries))).toThrow(
      expect.objectContaining({
        code: 'resume_rejected',
        message: expect.stringMatching(new RegExp(`^Resume rejected by --resume-drops-turn: .*\\(${uuid}\\)`)),
        facts: { at: 'a1', turn: 'p2', uuid },
      }),
    );
  });

  test('what stands on a branch that is not active is not dropped by it', () => {
    const other = user('o1', 'another way', { parent: 'a1' });
    expect(check([...chained(...kept), other, ...chained(...kept, ...turn).slice(2)])).not.toThrow();
  });

  test('what a compaction has replaced counts as well', () => {
    const boundary: Entry = { type: 'system', subtype: 'compact_boundary', uuid: 'b1', logicalParentUuid: 'a3' };
    const summary = user('s1', 'in short', { parent: 'b1', isCompactSummary: true });
    const joined = [...chained(...kept, ...turn), { ...boundary, parentUuid: null }, summary];
    expect(check(joined)).not.toThrow();
    expect(check([...joined, user('p4', 'next', { parent: 's1' })])).toThrow('(p4)');
  });
});
