import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { createHouse, resultsOf, tempDir } from '../support.ts';

const create = () => toolUse('TeamCreate', { team_name: 'crew', description: 'A test' });
const mate = (name: string, prompt: string) => task(prompt, { team_name: 'crew', name });
const send = (fields: object) => toolUse('SendMessage', { type: 'message', ...fields });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a team', () => {
  test('[TEAM-01, TEAM-02, TEAM-03] works on after the first result, its mail becomes turns, and it shuts down in good order', async () => {
    const home = tempDir();
    const heard: string[] = [];
    const leader = (answer: Parameters<typeof cast>[0][string][number]) => answer;
    const house = createHouse(
      cast({
        LEAD: [
          create(),
          mate('mate1', 'MATE do the research'),
          'Dispatched.',
          ...Array.from({ length: 12 }, () =>
            leader((request) => {
              const text = lastText(request);
              heard.push(text);
              if (text.includes('all teammates are idle')) {
                return toolUse('SendMessage', { type: 'shutdown_request', recipient: 'mate1' });
              }
              if (text.includes('shutdown_approved') || text.includes('"approve":true'))
                return toolUse('TeamDelete', {});
              if (text.includes('"success":true') && text.includes('team_name')) return 'The team is gone.';
              return 'Noted.';
            }),
          ),
        ],
        MATE: [
          async () => {
            await pause(300);
            return send({ recipient: 'team-lead', content: 'mate result', summary: 'result' });
          },
          'I am idle.',
          toolUse('SendMessage', { type: 'shutdown_response', approve: true }),
          'Good bye.',
        ],
      }),
      { home },
    );
    const client = house.connect({ teams: true });
    const first = await client.ask('LEAD go');
    expect(first).toMatchObject({ result: 'Dispatched.', pending_tasks: [{ task_type: 'in_process_teammate' }] });
    expect(client.of('system/init')[0]?.tools).toEqual(
      expect.arrayContaining(['TeamCreate', 'TeamDelete', 'SendMessage']),
    );
    const config = JSON.parse(readFileSync(join(home, 'teams/crew/config.json'), 'utf8'));
    expect(config).toMatchObject({
      name: 'crew',
      members: [{ name: 'team-lead' }, { name: 'mate1', agentType: 'general-purpose' }],
    });
    const exit = await client.end();
    expect(exit.code).toBe(0);
    expect(heard.join('\n')).toContain('mate result');
    expect(client.results.at(-1)).toMatchObject({ subtype: 'success', result: 'The team is gone.' });
    const spawned = client
      .of('user')
      .map(({ tool_use_result }) => tool_use_result)
      .find((data) => (data as { status?: string })?.status === 'teammate_spawned');
    expect(spawned).toMatchObject({ teammate_id: 'mate1@crew', name: 'mate1', tmux_session_name: 'in-process' });
    expect(resultsOf(client.of('user')).every(({ is_error }) => is_error !== true)).toBe(true);
  });
});

test('a teammate whose kind asks for a worktree has none, which is said', async () => {
  const house = createHouse(
    cast({ LEAD: [create(), task('MATE go', { team_name: 'crew', name: 'mate1', subagent_type: 'apart' }), 'Done.'] }),
    { home: tempDir() },
  );
  const agents = JSON.stringify({ apart: { description: 'd', prompt: 'p', isolation: 'worktree' } });
  await house.connect({ teams: true, agents }).ask('LEAD go');
  const said = house.logs.map(({ message }) => message).filter((message) => message.includes('isolation'));
  expect(said).toEqual([expect.stringContaining('The agent apart asks for isolation')]);
});
