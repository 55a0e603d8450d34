import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  hasEnded,
  isActive,
  MEMBER_TRANSITIONS,
  type MemberState,
  nextMember,
  nextTeam,
  TEAM_TRANSITIONS,
  type Transition,
} from '../../../src/agent/team/states.ts';
import { ROOT } from '../../support/root.ts';

const page = readFileSync(join(ROOT, 'docs/teams.md'), 'utf8');

describe.each([
  ['Teammates', MEMBER_TRANSITIONS],
  ['The team', TEAM_TRANSITIONS],
] as [string, readonly Transition<string, string>[]][])('the table %j', (heading, table) => {
  test('[TEAM-08] is printed in docs/teams.md, word for word', () => {
    const section = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(table.map(({ from, on, to, why }) => `| \`${from}\` | \`${on}\` | \`${to}\` | ${why} |`));
  });

  test('says one thing for a state and an event', () => {
    const keys = table.map(({ from, on }) => `${from} ${on}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const states = [...new Set(MEMBER_TRANSITIONS.map(({ from }) => from))];
const reachable = (from: MemberState) => MEMBER_TRANSITIONS.filter((each) => each.from === from).map(({ to }) => to);

test('every state of a teammate is reached from the first, and has a way to its end', () => {
  expect(closure('starting', reachable)).toEqual(new Set(states));
  for (const state of states) expect([...closure(state, reachable)].some(hasEnded)).toBe(true);
});

test('[TEAM-08] only who was asked can agree to leave, and only who agreed leaves', () => {
  expect(states.filter((state) => nextMember(state, 'approved') !== null)).toEqual(['asked']);
  expect(states.filter((state) => nextMember(state, 'left') !== null)).toEqual(['leaving']);
});

test('[TEAM-10] nothing that the team does by itself ends a turn', () => {
  const own = MEMBER_TRANSITIONS.filter(({ on }) => !['crashed', 'aborted', 'restored'].includes(on));
  const endings = own.filter(({ from, to }) => isActive(from) && hasEnded(to));
  expect(endings.map(({ from, on }) => `${from} ${on}`)).toEqual(['leaving left']);
});

test('every state survives a restart', () => {
  for (const state of states) expect(nextMember(state, 'restored')).not.toBeNull();
});

test('[TEAM-07] the leader is told once per end of input', () => {
  expect(nextTeam('open', 'told')).toBeNull();
  expect(nextTeam('told', 'told')).toBeNull();
  expect(nextTeam('told', 'input-ended')).toBe('told');
  expect(nextTeam('told', 'restored')).toBe('told');
});

function closure<T>(start: T, of: (each: T) => readonly T[]): Set<T> {
  const found = new Set([start]);
  for (const each of found) for (const next of of(each)) found.add(next);
  return found;
}
