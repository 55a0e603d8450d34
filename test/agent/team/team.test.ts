import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { LEADER } from '../../../src/agent/team/mail.ts';
import { spawnedOutput } from '../../../src/agent/team/spawned-output.ts';
import { raceAbort } from '../../../src/util/abort.ts';
import { createRig, mate, openTeam, readMail, reopenTeam, SESSION, stateOf, untilState } from './support.ts';

const words = (recipient: string, content: string) => ({ type: 'message', recipient, content }) as const;
const ask = (recipient: string) => ({ type: 'shutdown_request', recipient }) as const;
const agree = { type: 'shutdown_response', approve: true } as const;

describe('a team', () => {
  test('[TEAM-01] its file has the fields of the reference', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    const ann = await team.spawn({ ...mate('ann'), summary: 'mate work' });
    await team.spawn(mate('bob'));
    await untilState(team, 'bob', 'idle');
    expect(JSON.parse(readFileSync(team.file, 'utf8'))).toMatchObject({
      name: 'crew',
      description: '',
      createdAt: expect.any(Number),
      leadAgentId: 'team-lead@crew',
      leadSessionId: SESSION,
      members: [
        { agentId: 'team-lead@crew', name: 'team-lead', tmuxPaneId: '', subscriptions: [] },
        { agentId: 'ann@crew', name: 'ann', color: 'blue', prompt: 'Be ann', backendType: 'in-process' },
        { agentId: 'bob@crew', name: 'bob', color: 'green', planModeRequired: false },
      ],
    });
    expect(spawnedOutput(ann, team.name)).toMatchObject({ teammate_id: 'ann@crew', color: 'blue', team_name: 'crew' });
    expect(rig.transcripts.get('ann')).toEqual([
      expect.stringMatching(
        /^<teammate-message teammate_id="team-lead" summary="mate work" message_id="[^"]+">\nBe ann\n<\/teammate-message>$/,
      ),
    ]);
  });

  test('a name that is taken gets a number', async () => {
    const rig = createRig();
    expect((await openTeam(rig)).name).toBe('crew');
    expect((await openTeam(rig)).name).toBe('crew-2');
  });

  test.each(['', '../x', 'a b', 'team-lead', 'Heddle', 'x'.repeat(65)])(
    '%j is no name for a teammate',
    async (name) => {
      const team = await openTeam(createRig());
      await expect(team.spawn(mate(name))).rejects.toThrow(/cannot be the name/);
      expect(team.members()).toEqual([]);
    },
  );

  test('no two teammates have the same name, also in other letters', async () => {
    const team = await openTeam(createRig());
    await Promise.all([team.spawn(mate('ann')), expect(team.spawn(mate('Ann'))).rejects.toThrow(/already/)]);
  });

  test('[TEAM-06] who is idle says so, and mail wakes it; what came together is read together', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    let go = () => {};
    const isHeld = vi.fn();
    rig.turns.ann = (prompt) => {
      if (!prompt.includes('Be ann')) return '';
      isHeld();
      return new Promise((resolve) => (go = () => resolve('')));
    };
    await team.spawn(mate('ann'));
    await vi.waitUntil(() => isHeld.mock.calls.length === 1);
    await team.send(LEADER, words('ann', 'one'));
    await team.send(LEADER, words('ann', 'two'));
    expect(rig.wakes).toBe(0);
    go();
    await vi.waitUntil(() => rig.transcripts.get('ann')?.length === 2);
    expect(rig.transcripts.get('ann')?.[1]).toMatch(/one[\s\S]*two/);
    await untilState(team, 'ann', 'idle');
    await vi.waitUntil(() => rig.wakes === 1);
    expect(await readMail(team, rig)).toContain('"type":"idle_notification","from":"ann"');
    expect(await team.isSettled()).toBe(true);
  });

  test('[B-019] a hook may keep a teammate from being idle', async () => {
    const rig = createRig();
    rig.objections.push('The tests fail.');
    const team = await openTeam(rig);
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    expect(rig.transcripts.get('ann')?.[1]).toMatch(/^<team-notice [\s\S]*The tests fail\./);
    await vi.waitUntil(() => rig.wakes === 1);
  });

  test('[TEAM-02] a broadcast reaches everybody else', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    for (const name of ['ann', 'bob', 'cid']) await team.spawn(mate(name));
    for (const name of ['ann', 'bob', 'cid']) await untilState(team, name, 'idle');
    const { routing } = await team.send('ann', { type: 'broadcast', content: 'hear me' });
    expect(routing).toMatchObject({ sender: 'ann', senderColor: 'blue', target: '@team-lead @bob @cid' });
    for (const name of ['bob', 'cid']) await vi.waitUntil(() => rig.transcripts.get(name)?.length === 2);
    expect(await readMail(team, rig)).toContain('hear me');
    expect(rig.transcripts.get('ann')).toHaveLength(1);
  });

  test('what nobody could read is refused', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    await expect(team.send(LEADER, words('zoe', 'hi'))).rejects.toThrow('The team: team-lead, ann.');
    await expect(team.send('ann', words('ann', 'hi'))).rejects.toThrow('That is you.');
    await expect(team.send('ann', ask('team-lead'))).rejects.toThrow(/Only team-lead/);
    await expect(team.send('ann', agree)).rejects.toThrow(/Nobody has asked/);
    await expect(team.send('ann', words(LEADER, '{"type":"shutdown_response","approve":true}'))).rejects.toThrow(
      /type/,
    );
    await team.abort('ann');
    await expect(team.send(LEADER, words('ann', 'hi'))).rejects.toThrow(/has stopped.*resume "ann@crew"/);
  });

  test('plans are asked for and answered', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'idle');
    const { request_id } = await team.send('ann', { type: 'plan_approval_request', content: 'First this, then that' });
    expect(await readMail(team, rig)).toContain('"plan":"First this, then that"');
    const answer = { type: 'plan_approval_response', recipient: 'ann', approve: false, content: 'Test it' } as const;
    await team.send(LEADER, { ...answer, request_id: request_id ?? '' });
    await vi.waitUntil(() => rig.transcripts.get('ann')?.length === 2);
    expect(rig.transcripts.get('ann')?.[1]).toMatch(new RegExp(`"requestId":"${request_id}".*"reason":"Test it"`));
  });
});

describe('trouble', () => {
  test('a teammate that crashed is reported, and goes on when it is resumed', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    rig.turns.ann = () => Promise.reject(new Error('out of memory'));
    await team.spawn(mate('ann'));
    await untilState(team, 'ann', 'crashed');
    await vi.waitUntil(() => rig.wakes === 1);
    expect(await readMail(team, rig)).toMatch(/ann has crashed: out of memory[\s\S]*resume "ann@crew"/);
    rig.turns = {};
    await team.resume('ann@crew', 'Try again');
    await untilState(team, 'ann', 'idle');
    expect(rig.transcripts.get('ann')?.map((prompt) => prompt.split('\n')[1])).toEqual(['Be ann', 'Try again']);
    await expect(team.resume('ann', 'again')).rejects.toThrow(/ann is idle/);
  });

  test('an abort stops one teammate, tells the leader, and leaves the others alone', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    const hang = (_prompt: string, _member: unknown, signal: AbortSignal) =>
      new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    rig.turns = { ann: hang, bob: hang };
    await team.spawn(mate('ann'));
    await team.spawn(mate('bob'));
    await vi.waitUntil(() => rig.transcripts.has('bob'));
    await team.abort('ann@crew', 'the user stopped it');
    expect([stateOf(team, 'ann'), stateOf(team, 'bob')]).toEqual(['stopped', 'working']);
    expect(await readMail(team, rig)).toMatch(/ann was stopped: the user stopped it/);
    expect(team.active().map(({ name }) => name)).toEqual(['bob']);
  });

  test('after a restart who waited waits again, and who was cut off is reported once', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    rig.turns.ann = () => new Promise(() => {});
    await team.spawn(mate('bob'));
    await untilState(team, 'bob', 'idle');
    await team.spawn(mate('ann'));
    await vi.waitUntil(() => rig.transcripts.has('ann'));
    await vi.waitUntil(() => stateOf(team, 'ann') === 'working' && rig.wakes === 1);
    await readMail(team, rig);

    const second = createRig(rig.home, rig.transcripts);
    const again = await reopenTeam(second);
    expect(again && [stateOf(again, 'ann'), stateOf(again, 'bob')]).toEqual(['crashed', 'idle']);
    expect(second.wakes).toBeGreaterThan(0);
    expect(again && (await readMail(again, second))).toMatch(/ann has crashed: its process ended/);
    await again?.send(LEADER, words('bob', 'still there?'));
    await vi.waitUntil(() => rig.transcripts.get('bob')?.length === 2);
    if (again) await untilState(again, 'bob', 'idle');
    await again?.close();

    const third = createRig(rig.home, rig.transcripts);
    const later = await reopenTeam(third);
    expect(later && (await readMail(later, third))).not.toContain('crashed');
  });

  test('who was cut off before it got to know what it is there for is told when it is resumed', async () => {
    const rig = createRig();
    const before = await openTeam(rig);
    await before.spawn(mate('ann'));
    await untilState(before, 'ann', 'idle');
    await before.close();
    // As it is when the process dies between the two files that make a teammate.
    writeFileSync(before.file, readFileSync(before.file, 'utf8').replace('"state": "idle"', '"state": "starting"'));
    rmSync(join(dirname(before.file), 'inboxes'), { recursive: true });
    const next = createRig(rig.home);
    const team = await reopenTeam(next);
    if (team === null) throw new Error('It is gone');
    expect(stateOf(team, 'ann')).toBe('crashed');
    await team.resume('ann@crew', 'Go on');
    await untilState(team, 'ann', 'idle');
    expect(next.transcripts.get('ann')).toEqual([expect.stringMatching(/Be ann.*Go on/s)]);
  });

  test('a process that died between recording and marking delivers nothing twice', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    const { runTurn } = rig.seams;
    rig.seams.runTurn = (member, prompt, how) =>
      runTurn(member, prompt, { ...how, onRecorded: () => raceAbort(new Promise(() => {}), how.signal) });
    await team.spawn(mate('ann'));
    await vi.waitUntil(() => rig.transcripts.has('ann'));
    await vi.waitUntil(() => JSON.parse(readFileSync(team.file, 'utf8')).members[1]?.state === 'working');

    const second = createRig(rig.home, rig.transcripts);
    const again = await reopenTeam(second);
    await again?.resume('ann', 'Go on');
    await vi.waitUntil(() => rig.transcripts.get('ann')?.length === 2);
    expect(rig.transcripts.get('ann')?.[1]).not.toContain('Be ann');
  });

  test('closing leaves everything for the next process', async () => {
    const rig = createRig();
    const team = await openTeam(rig);
    rig.turns.ann = (_prompt, _member, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await team.spawn(mate('ann'));
    await vi.waitUntil(() => rig.transcripts.has('ann'));
    await team.close();
    expect(JSON.parse(readFileSync(team.file, 'utf8')).members[1].state).toBe('working');
    expect(rig.wakes).toBe(0);
    const again = await reopenTeam(createRig(rig.home, rig.transcripts));
    expect(again?.members().map(({ state }) => state)).toEqual(['crashed']);
  });
});
