import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { PROMPTS } from '../support/calling-program.ts';
import { cast, lastText } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { isResult, kindOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';
import {
  ALL_DONE,
  always,
  approve,
  byTheBook,
  createTeam,
  mailTo,
  reject,
  smallTeam,
  startMate,
  TEAMS,
} from '../support/team-play.ts';
import { CALLED, runLongTeammate } from '../support/team-work.ts';

/** How long a teammate works after the leader's first result. Longer than any grace period; a minute in test/trust. */
const WORK_MS = 4000;

/** What is left of teams on disk. */
const teamsIn = ({ home }: Place) => readdirSync(join(home, 'teams'));

test('[TEAM-10, STD-01, STD-03] a teammate completes long after the first result and reaches hooks, permissions and tools of the program, for all kinds of prompts', async () => {
  const runs = await Promise.all(PROMPTS.map((prompt) => runLongTeammate(prompt, WORK_MS)));
  for (const [at, { place, lines, results, called, lastedMs }] of runs.entries()) {
    const kind = PROMPTS[at];
    expect(results[0], kind).toMatchObject({ result: 'Dispatched.', pending_tasks: [{ description: 'mate1' }] });
    expect(results[1], kind).toMatchObject({ result: 'I heard all of it.', permission_denials: [] });
    expect(lines.at(-1), kind).toMatchObject({ type: 'result', result: ALL_DONE, pending_tasks: [] });
    expect(called, kind).toEqual(CALLED);
    expect(lastedMs, kind).toBeGreaterThan(WORK_MS);
    expect(existsSync(join(place.cwd, 'made')), kind).toBe(true);
  }
});

describe('the end of a team', () => {
  test('[TEAM-07, TEAM-08, TEAM-09] told once, all are asked, all agree, the team is removed, then the final answer', async () => {
    const events: string[] = [];
    const note = (event: string, answer: AnswerLike) => () => {
      events.push(event);
      return answer;
    };
    const leader = byTheBook(['mate1', 'mate2']);
    const mate = (name: string, lastWordsMs: number) => [
      note(`${name} works`, 'Done.'),
      note(`${name} agrees`, approve()),
      async () => {
        await sleep(lastWordsMs);
        events.push(`${name} leaves`);
        return 'Good bye.';
      },
    ];
    const place = await makePlace(
      cast<FakeApiRequest>({
        LEAD: [
          createTeam(),
          [startMate('mate1', 'FIRST go'), startMate('mate2', 'SECOND go')],
          'Dispatched.',
          ...always((request) => {
            const answer = leader(request);
            if (Array.isArray(answer)) events.push('all are asked');
            if (answer === ALL_DONE) events.push('removed');
            return answer;
          }),
        ],
        FIRST: mate('mate1', 0),
        SECOND: mate('mate2', 700), // the leader has to wait for its last words
      }),
    );
    const { code, lines, stderr } = await runCli([...STREAM_OUT, 'LEAD go', ...TEAMS], { place });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // Each goes its own way in between: one may have left before the other has agreed.
    for (const name of ['mate1', 'mate2']) {
      const its = [`${name} works`, 'all are asked', `${name} agrees`, `${name} leaves`, 'removed'];
      expect(events.filter((event) => its.includes(event))).toEqual(its);
    }
    expect(events).toHaveLength(8);
    expect(conversationText(place.api.requests.at(-1)).split('all teammates are idle')).toHaveLength(2);
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: ALL_DONE });
    const ended = lines.findLastIndex((line) => kindOf(line) === 'system/task_updated');
    expect(ended).toBeLessThan(lines.length - 1);
    expect(teamsIn(place)).toEqual([]);
  });

  test('[TEAM-08, TOOL-05] who rejects says why and goes on, and is asked again when it is idle', async () => {
    const heard: string[] = [];
    const leader = byTheBook(['mate1']);
    const place = await makePlace(
      smallTeam({
        lead: (request) => {
          heard.push(lastText(request));
          return leader(request);
        },
        mate: [
          'Half done.',
          reject('the report is not written yet'),
          toolUse('Bash', { command: 'echo all > report' }),
          'Now it is written.',
          approve(),
          'Good bye.',
        ],
      }),
    );
    const { code, lines } = await runCli([...STREAM_OUT, 'LEAD go', ...TEAMS], { place });
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ result: ALL_DONE });
    expect(heard.join('\n')).toMatch(/"approve":false,"reason":"the report is not written yet"/);
    expect(readFileSync(join(place.cwd, 'report'), 'utf8')).toBe('all\n');
    expect(teamsIn(place)).toEqual([]);
  });

  test('[TEAM-05] when nobody is left and nothing runs, the process ends, and nothing of it is there', async () => {
    const place = await makePlace(
      smallTeam({
        lead: byTheBook(['mate1']),
        mate: [
          toolUse('Bash', { command: 'setsid sleep 600 > /dev/null 2>&1 & sleep 0.5' }),
          'Done.',
          approve(),
          'Bye.',
        ],
      }),
    );
    const cli = startCli([...STREAM_OUT, 'LEAD go', ...TEAMS], { place });
    cli.endInput();
    await eventually(() => descendantsOf(cli.pid).length >= 3, 10_000);
    const all = descendantsOf(cli.pid);
    expect((await cli.finished).code).toBe(0);
    await eventually(() => !all.some(isAlive), 6000);
  });
});

describe('a session with an idle teammate', () => {
  test('[TEAM-04, TEAM-06, STD-04] gives mail to the leader within 500 ms, without any timer in between', async () => {
    const sentAt: number[] = [];
    const heardAt: number[] = [];
    const place = await makePlace(
      smallTeam({
        lead: (request) => {
          const last = lastText(request);
          if (last.startsWith('poke')) return mailTo('mate1', 'ping');
          if (!last.includes('pong')) return 'Noted.';
          heardAt.push(Date.now());
          return 'Heard.';
        },
        mate: always(async (request) => {
          if (!lastText(request).includes('ping')) return 'I wait.';
          await sleep(200); // the leader's turn is over by then
          sentAt.push(Date.now());
          return mailTo('team-lead', 'pong');
        }),
      }),
    );
    const [probe, found] = [join(place.root, 'probe.cjs'), join(place.root, 'found')];
    writeFileSync(probe, PROBE);
    const env = { NODE_OPTIONS: `--require ${probe}`, PROBE_FILE: found };
    const cli = startCli([...STREAM_BOTH, ...TEAMS], { place, env });
    cli.say('LEAD go');
    await cli.until(() => cli.lines.filter(isResult).some(({ result }) => result === 'Noted.')); // that it is idle
    for (const times of [1, 2, 3]) {
      cli.say(`poke ${times}`);
      await cli.until(() => cli.lines.filter(({ result }) => result === 'Heard.').length === times);
      await cli.until(() => cli.lines.at(-1)?.type === 'result');
    }
    const waits = heardAt.map((time, at) => time - (sentAt[at] ?? 0));
    expect(waits).toHaveLength(3);
    expect(Math.max(...waits), `${waits} ms`).toBeLessThan(500);

    await sleep(500); // the last idle notification is told
    await cli.until(() => cli.lines.at(-1)?.type === 'result');
    cli.kill('SIGUSR2');
    await eventually(() => existsSync(found));
    expect(JSON.parse(readFileSync(found, 'utf8'))).not.toContain('Timeout');
  });
});

/** Tells on demand what keeps a process awake. */
const PROBE = `
  process.on('SIGUSR2', () => {
    const { renameSync, writeFileSync } = require('node:fs');
    writeFileSync(process.env.PROBE_FILE + '.new', JSON.stringify(process.getActiveResourcesInfo()));
    renameSync(process.env.PROBE_FILE + '.new', process.env.PROBE_FILE);
  });
`;
