import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { LEADER } from '../../../src/agent/team/mail.ts';
import type { Team } from '../../../src/agent/team/team.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { createRig, mate, openTeam, readMail, reopenTeam, stateOf, untilState } from './support.ts';

const words = (recipient: string, content: string) => ({ type: 'message', recipient, content }) as const;
const ask = (recipient: string) => ({ type: 'shutdown_request', recipient }) as const;
const agree = { type: 'shutdown_response', approve: true } as const;

describe('shutting down', () => {
  /** Agrees when asked the second time. */
  function hesitant(team: () => Team) {
    let isSure = false;
    return async (prompt: string) => {
      if (!prompt.includes('shutdown_request')) return 'fine';
      if (isSure) await team().send('ann', agree);
      else await team().send('ann', { type: 'shutdown_response', approve: false, content: 'not done' });
      isSure = true;
      return 'answered';
    };
  }

  test('[TEAM-08] request, rejection with a reason, request, approval, cleanup', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    rig.turns.ann = hesitant(() => team);
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    await expect(team.delete()).rejects.toThrow(/still in it are ann \(idle\)/);

    await team.send(LEADER, ask('ann'));
    await vi.waitUntil(() => rig.transcripts.get('ann')?.length === 2);
    await untilState(team, 'ann', 'idle');
    expect(await readMail(team, rig)).toContain('"approve":false,"reason":"not done"');

    await team.send(LEADER, ask('ann'));
    await untilState(team, 'ann', 'stopped');
    await expect(team.delete()).rejects.toThrow(/mail for you/);
    expect(await readMail(team, rig)).toContain('"approve":true');
    expect(await team.delete()).toBe('The team crew is removed.');
    expect(existsSync(team.file)).toBe(false);
    await expect(team.spawn(mate('bob'))).rejects.toThrow(/no more/);
  });

  test('a rejection needs a reason', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    const refused = vi.fn();
    rig.turns.ann = async (prompt) => {
      if (prompt.includes('shutdown_request'))
        await team.send('ann', { type: 'shutdown_response', approve: false }).catch(refused);
      return '';
    };
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    await team.send(LEADER, ask('ann'));
    await vi.waitUntil(() => refused.mock.calls.length === 1);
    await untilState(team, 'ann', 'idle');
    expect(team.members()[0]?.requests).toHaveLength(1); // it still owes an answer
  });

  test('who has agreed reads what came before, and nothing comes after', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    const refused = vi.fn();
    rig.turns.ann = async (prompt) => {
      if (!prompt.includes('shutdown_request')) return '';
      await team.send(LEADER, words('ann', 'one more thing'));
      await team.send('ann', agree);
      await team.send(LEADER, words('ann', 'too late')).catch(refused);
      return '';
    };
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    await team.send(LEADER, ask('ann'));
    await untilState(team, 'ann', 'stopped');
    expect(rig.transcripts.get('ann')?.[2]).toContain('one more thing');
    expect(String(refused.mock.calls[0]?.[0])).toMatch(/has agreed to shut down/);
  });

  test('[TEAM-07] [TEAM-10] [STD-03] the end of input stops nobody; the leader is told once, when all are idle', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    let finish = () => {};
    const [aborted, isBegun] = [vi.fn(), vi.fn()];
    rig.turns.ann = (_prompt, _member, signal) => {
      signal.addEventListener('abort', aborted);
      isBegun();
      return new Promise((resolve) => (finish = () => resolve('found it')));
    };
    await team.spawn(mate('ann'));
    await vi.waitUntil(() => isBegun.mock.calls.length === 1);
    expect(await team.inputEnded()).toBeNull();
    expect(await team.isSettled()).toBe(false);
    expect(stateOf(team, 'ann')).toBe('working');
    finish();
    await untilState(team, 'ann', 'idle');
    await vi.waitUntil(() => rig.wakes === 1);
    expect(await team.inputEnded()).toBeNull(); // its mail comes first
    expect(await readMail(team, rig)).toContain('idle_notification');
    const told = await team.inputEnded();
    expect(told?.prompt).toMatch(/^<team-notice [\s\S]*shutdown_request[\s\S]*TeamDelete/);
    await told?.acknowledge();
    expect(await team.inputEnded()).toBeNull();
    expect(aborted).not.toHaveBeenCalled();
    await team.inputArrived();
    expect((await team.inputEnded())?.prompt).toContain('TeamDelete');
  });

  test('[TEAM-07] who died right after telling it tells it again when the user has gone on', async () => {
    const rig = createRig();
    const before = await openTeam(rig);
    await before.spawn(mate('ann'));
    await untilState(before, 'ann', 'idle');
    await vi.waitUntil(() => rig.wakes === 1);
    await readMail(before, rig);
    expect(await before.inputEnded()).not.toBeNull();
    await before.close();
    // As it is when the process dies before it has written down that it was told.
    writeFileSync(before.file, readFileSync(before.file, 'utf8').replace('"state": "told"', '"state": "ending"'));
    const team = await reopenTeam(createRig(rig.home, rig.transcripts));
    await team?.inputArrived();
    expect((await team?.inputEnded())?.prompt).toContain('TeamDelete');
  });

  test('[TEAM-05] where nobody is left, nobody is told', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    expect(await team.inputEnded()).toBeNull();
    await team.spawn(mate('ann'));
    await team.abort('all');
    await readMail(team, rig);
    expect(await team.inputEnded()).toBeNull();
    expect(await team.isSettled()).toBe(true);
  });

  test('[TEAM-09] removing it waits for the last words of who has agreed to stop', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    let endTurn = () => {};
    rig.turns.ann = async (prompt) => {
      if (!prompt.includes('shutdown_request')) return 'fine';
      await team.send('ann', agree);
      await new Promise<void>((resolve) => {
        endTurn = resolve;
      });
      return 'good bye';
    };
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    await team.send(LEADER, ask('ann'));
    await untilState(team, 'ann', 'leaving');
    await readMail(team, rig);
    const interrupted = new AbortController();
    const given = team.delete(interrupted.signal);
    interrupted.abort(new Aborted('interrupt'));
    await expect(given).rejects.toThrow(Aborted);
    expect(stateOf(team, 'ann')).toBe('leaving');
    const removed = team.delete();
    endTurn();
    expect(await removed).toBe('The team crew is removed.');
  });

  test('what was never read is said when the team is removed', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    rig.turns.ann = async () => {
      await team.send(LEADER, words('ann', 'unheard'));
      throw new Error('boom');
    };
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'crashed');
    await vi.waitUntil(() => rig.wakes === 1);
    await readMail(team, rig);
    expect(await team.delete()).toBe('The team crew is removed.\nNever read by ann, from team-lead: unheard');
  });
});
