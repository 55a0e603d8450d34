import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { HeddleError } from '../../../src/wire/errors.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { createHouse, tempDir } from '../support.ts';

const RESULT = 'the-result-of-the-mate';

/** A team of one whose member sends one mail; the leader's transcript cannot be written while `isFull`. */
function crew({ isFull }: { isFull: boolean }) {
  const disk = { isFull, onMail: () => {} };
  const kept = createMemoryStore();
  const store: SessionStore = {
    ...kept,
    async append(key, entries, options) {
      const isMail = key.agentId === undefined && JSON.stringify(entries).includes('<teammate-message');
      if (disk.isFull && isMail) throw new HeddleError('storage_failed', 'no space left on device');
      await kept.append(key, entries, options);
      if (isMail) disk.onMail();
    },
  };
  const home = tempDir();
  const heard: string[] = [];
  const listen = (request: ModelRequest) => {
    heard.push(lastText(request));
    return 'Noted.';
  };
  const script = cast<ModelRequest>({
    LEAD: [
      toolUse('TeamCreate', { team_name: 'crew', description: 'd' }),
      task('MATE go', { team_name: 'crew', name: 'mate1' }),
      'Dispatched.',
      ...Array.from({ length: 6 }, () => listen),
    ],
    MATE: [toolUse('SendMessage', { type: 'message', recipient: 'team-lead', content: RESULT }), 'Idle.'],
  });
  const house = createHouse(script, { home, store });
  const inbox = join(home, 'teams/crew/inboxes/team-lead.json');
  const mails = () => JSON.parse(readFileSync(inbox, 'utf8')) as { text: string; read: boolean }[];
  const told = () => heard.filter((each) => each.includes(RESULT)).length;
  return { house, disk, told, inbox, mail: () => mails().find(({ text }) => text === RESULT) };
}

describe('mail for a leader whose turn fails before it was recorded', () => {
  test('[S-20] is unread, not tried again by itself, and told once with the next prompt that works', async () => {
    const { house, disk, told, mail } = crew({ isFull: true });
    const client = house.connect({ teams: true });
    await client.ask('LEAD go');
    const failed = await client.result(1);
    expect(failed).toMatchObject({ is_error: true, error_code: 'storage_failed' });
    expect([told(), mail()?.read]).toEqual([0, false]);
    disk.isFull = false;
    await client.ask('go on');
    await client.until(() => told() > 0);
    await client.result(3);
    expect([told(), mail()?.read]).toEqual([1, true]);
    expect(client.results.filter(({ is_error }) => is_error)).toHaveLength(1);
  });

  test('[S-20] does not keep a session whose input has ended; whoever resumes it is told', async () => {
    const { house, disk, told, mail } = crew({ isFull: true });
    const client = house.connect({ teams: true });
    const { session_id: resume } = await client.ask('LEAD go');
    await client.end();
    expect(client.results.at(-1)).toMatchObject({ is_error: true, error_code: 'storage_failed' });
    expect([told(), mail()?.read]).toEqual([0, false]);
    disk.isFull = false;
    const next = house.connect({ teams: true, resume });
    await next.ask('go on');
    await next.until(() => told() > 0);
    expect(told()).toBe(1);
  });

  test('mail that was told but cannot be marked as read is not told again', async () => {
    const { house, disk, told, inbox, mail } = crew({ isFull: false });
    disk.onMail = () => {
      renameSync(inbox, `${inbox}.away`);
      mkdirSync(inbox);
    };
    const client = house.connect({ teams: true });
    await client.ask('LEAD go');
    expect(await client.result(1)).toMatchObject({ is_error: false, result: 'Noted.' });
    expect(house.logs.some(({ message }) => message.includes('could not be marked as read'))).toBe(true);
    rmdirSync(inbox);
    renameSync(`${inbox}.away`, inbox);
    disk.onMail = () => {};
    await client.ask('go on');
    await client.end();
    expect([told(), mail()?.read]).toEqual([1, true]);
  });
});
