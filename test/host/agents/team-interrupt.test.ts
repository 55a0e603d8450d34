import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { eventually } from '../../support/processes.ts';
import { createHouse, tempDir } from '../support.ts';

test('[TEAM-10] an interrupt ends the turn of the leader, and no teammate: what they send begins its next turn', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const heard: string[] = [];
  let isInterrupted = false;
  const house = createHouse(
    cast<ModelRequest>({
      LEAD: [
        toolUse('TeamCreate', { team_name: 'crew', description: 'd' }),
        task('MATE go', { team_name: 'crew', name: 'mate1' }),
        ...Array.from({ length: 4 }, () => (request: ModelRequest) => {
          if (!isInterrupted) return hang();
          heard.push(lastText(request));
          return 'Noted.';
        }),
      ],
      MATE: [
        async () => {
          await released;
          return toolUse('Bash', { command: 'touch made' });
        },
        toolUse('SendMessage', { type: 'message', recipient: 'team-lead', content: 'it-is-made' }),
        'Idle.',
      ],
    }),
    { home: tempDir() },
  );
  const client = house.connect({ teams: true, allowedTools: ['Bash'] });
  client.say('LEAD go');
  await eventually(() => house.model.requests.length === 4);
  await client.control({ subtype: 'interrupt' });
  expect(await client.result(0)).toMatchObject({
    subtype: 'error_during_execution',
    pending_tasks: [{ task_type: 'in_process_teammate' }],
  });
  isInterrupted = true;
  release();
  await client.until(() => heard.some((each) => each.includes('it-is-made')));
  expect(existsSync(join(house.dir, 'made'))).toBe(true);
});
