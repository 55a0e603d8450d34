import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type AnswerLike, fail, toolUse } from '../../src/testing/index.ts';
import { lastText, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { seededRandom } from '../support/fuzz.ts';
import { isResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';
import { ALL_DONE, approve, byTheBook, smallTeam, TEAMS } from '../support/team-play.ts';
import { sweepTeam, sweepTeamScript } from '../support/team-sweep.ts';

test('[TEAM-08] a teammate that crashes is reported, and goes on with all it knows when it is resumed', async () => {
  let hasFailed = false;
  const crashesOnce = (answer: AnswerLike) => () => {
    if (hasFailed) return answer;
    hasFailed = true;
    return fail(400, 'invalid_request_error', 'out of tea');
  };
  const goesOn = byTheBook(['mate1']);
  const heard: string[] = [];
  const place = await makePlace(
    smallTeam({
      prompt: 'MATE do it',
      lead: (request) => {
        heard.push(lastText(request));
        const isCrash = lastText(request).includes('Teammate mate1 has crashed');
        return isCrash ? task('Try again.', { resume: 'mate1@crew' }) : goesOn(request);
      },
      mate: [
        toolUse('Bash', { command: 'echo first piece' }),
        crashesOnce(toolUse('Bash', { command: 'echo second piece' })),
        'All done.',
        approve(),
        'Good bye.',
      ],
    }),
  );
  const { code, lines } = await runCli([...STREAM_OUT, 'LEAD go', ...TEAMS], { place });
  expect(lines.at(-1)).toMatchObject({ result: ALL_DONE });
  expect(code).toBe(0);
  expect(heard.filter((each) => each.includes('has crashed'))).toEqual([expect.stringContaining('out of tea')]);
  const mate = place.api.requests.filter((request) => conversationText(request).includes('MATE do it')).at(-1);
  expect(conversationText(mate)).toMatch(/MATE do it.*first piece.*Try again\..*second piece/s);
  expect(conversationText(mate).split('MATE do it')).toHaveLength(2);
});

test('[STD-03, K2] a host that closes stdin at the first result: the team goes on, and what needs the host is denied aloud', async () => {
  const place = await makePlace(
    smallTeam({
      lead: byTheBook(['mate1']),
      mate: [
        async () => {
          await hasClosed;
          return toolUse('Write', { file_path: join(place.cwd, 'made'), content: 'x' });
        },
        'It was denied.',
        approve(),
        'Good bye.',
      ],
    }),
  );
  const cli = startCli([...STREAM_BOTH, '--teams', '--permission-prompt-tool', 'stdio'], { place });
  const hasClosed = cli.child.stdin ? new Promise((resolve) => cli.child.stdin?.once('close', resolve)) : null;
  await cli.control({ subtype: 'initialize' });
  cli.say('LEAD go');
  await cli.nextResult();
  cli.endInput();
  const { code, lines } = await cli.finished;
  expect(code).toBe(0);
  expect(lines.filter(isResult).at(-1)).toMatchObject({ result: ALL_DONE });
  expect(existsSync(join(place.cwd, 'made'))).toBe(false);
  const denials = lines.filter(isResult).flatMap(({ permission_denials }) => permission_denials as object[]);
  expect(denials).toEqual([expect.objectContaining({ tool_name: 'Write' })]);
});

test('[TEAM-05] a leader that never removes its team does not keep the process: it ends when the last one has left', async () => {
  const place = await makePlace(
    smallTeam({
      lead: (request) => {
        const isTold = lastText(request).includes('all teammates are idle');
        return isTold ? toolUse('SendMessage', { type: 'shutdown_request', recipient: 'mate1' }) : 'Noted.';
      },
      mate: [
        'I wait.',
        approve(),
        async () => {
          await sleep(500); // the leader's last turn is over by then
          return 'Good bye.';
        },
      ],
    }),
  );
  const { code, lines } = await runCli([...STREAM_OUT, 'LEAD go', ...TEAMS], { place });
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatchObject({ subtype: 'task_updated', patch: { status: 'completed' } });
});

test('[TEAM-07] a team that was left behind is there again with its session, and its leader is told again to shut it down', async () => {
  let isLazy = true;
  const leader = byTheBook(['mate1']);
  const place = await makePlace(
    smallTeam({
      lead: (request) => (isLazy ? 'Noted.' : leader(request)),
      mate: ['I wait.', approve(), 'Good bye.'],
    }),
  );
  const run = (...args: string[]) => runCli([...STREAM_OUT, ...args, ...TEAMS], { place });
  const first = await run('LEAD go');
  expect(first.lines.at(-1)).toMatchObject({ result: 'Noted.' });
  isLazy = false;
  const { lines } = await run('Please finish.', '--resume', String(first.lines[0]?.session_id));
  expect(lines.filter(isResult).map(({ result }) => result)).toEqual(['Noted.', 'Noted.', ALL_DONE]);
  const told = conversationText(place.api.requests.at(-1));
  expect(told.split('all teammates are idle')).toHaveLength(3);
  expect(told.split('"idle_notification"')).toHaveLength(2);
  expect(told).not.toContain('<task-notification>'); // what its members did is told by the team
});

test('[TEAM-02, TEAM-10] teammates that are stopped and a process that is killed: no mail is lost or doubled, and the team goes on', async () => {
  const sweep = { mates: 3, rounds: 4, kills: 1, stops: 2, random: seededRandom(7) };
  const place = await makePlace(sweepTeamScript(sweep));
  expect(await sweepTeam(place, sweep)).toMatchObject({ faults: [], kills: 1 });
});
