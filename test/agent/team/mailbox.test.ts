import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { lockedFiles } from '../../../src/agent/team/locked-files.ts';
import { createMailbox } from '../../../src/agent/team/mailbox.ts';
import { seededRuntime } from '../../../src/util/seeded-runtime.ts';
import { ROOT } from '../../support/root.ts';
import { tempHome } from './support.ts';

function box(dir = tempHome()) {
  const logs: string[] = [];
  const runtime = { ...seededRuntime('box'), log: (_level: string, text: string) => void logs.push(text) };
  const inbox = (name: string) => join(dir, 'inboxes', `${name}.json`);
  return { dir, logs, inbox, mailbox: createMailbox({ dir, files: lockedFiles(), runtime }) };
}

const textsOf = (mails: { text: string }[]) => mails.map(({ text }) => text);

describe('a mailbox', () => {
  test('[TEAM-02] keeps mail in the files of the reference, for the user alone', async () => {
    const { mailbox, inbox, dir } = box();
    await mailbox.post('ann', { from: 'bob', text: 'hello', summary: 'greeting', color: 'blue' });
    expect(JSON.parse(readFileSync(inbox('ann'), 'utf8'))).toEqual([
      {
        id: expect.any(String),
        from: 'bob',
        text: 'hello',
        summary: 'greeting',
        timestamp: '2026-01-01T00:00:00.000Z',
        color: 'blue',
        read: false,
      },
    ]);
    expect(statSync(inbox('ann')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'inboxes')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dir, 'inboxes'))).toEqual(['ann.json']);
  });

  test('is on disk when the post resolves, and another process reads it', async () => {
    const { mailbox, dir } = box();
    await mailbox.post('ann', { from: 'bob', text: 'one' });
    expect(textsOf(await box(dir).mailbox.unread('ann'))).toEqual(['one']);
  });

  test('the same id is the same mail', async () => {
    const { mailbox } = box();
    const first = await mailbox.post('ann', { id: 'a', from: 'bob', text: 'one' });
    expect(await mailbox.post('ann', { id: 'a', from: 'bob', text: 'again' })).toEqual(first);
    expect(textsOf(await mailbox.unread('ann'))).toEqual(['one']);
  });

  test('unread until it is acknowledged; other fields stay as they are', async () => {
    const { mailbox, inbox } = box();
    await mailbox.post('ann', { id: 'a', from: 'bob', text: 'one' });
    await mailbox.post('ann', { id: 'b', from: 'bob', text: 'two' });
    const items = JSON.parse(readFileSync(inbox('ann'), 'utf8')).map((each: object) => ({ ...each, extra: 1 }));
    writeFileSync(inbox('ann'), JSON.stringify([...items, 'odd']));
    await mailbox.acknowledge('ann', ['a', 'unknown']);
    expect(textsOf(await mailbox.unread('ann'))).toEqual(['two']);
    const kept = JSON.parse(readFileSync(inbox('ann'), 'utf8'));
    expect(kept[0]).toMatchObject({ id: 'a', read: true, extra: 1 });
    expect(kept[2]).toBe('odd');
  });

  test('mail that another program wrote without an id gets one that stays', async () => {
    const { mailbox, inbox } = box();
    await mailbox.post('ann', { from: 'bob', text: 'ours' });
    const [ours] = JSON.parse(readFileSync(inbox('ann'), 'utf8'));
    const foreign = { from: 'eve', text: 'foreign', timestamp: '2026-01-01T00:00:00.000Z', read: false };
    writeFileSync(inbox('ann'), JSON.stringify([ours, foreign]));
    const found = (await mailbox.unread('ann'))[1];
    expect((await mailbox.unread('ann'))[1]?.id).toBe(found?.id);
    await mailbox.acknowledge('ann', [found?.id ?? '']);
    expect(textsOf(await mailbox.unread('ann'))).toEqual(['ours']);
  });

  test('tells listeners of new mail, once it is on disk', async () => {
    const { mailbox, inbox } = box();
    const heard: string[] = [];
    const stop = mailbox.onMail('ann', ({ text }) => heard.push(`${text} ${existsSync(inbox('ann'))}`));
    await mailbox.post('ann', { id: 'a', from: 'bob', text: 'one' });
    await mailbox.post('ann', { id: 'a', from: 'bob', text: 'one' });
    await mailbox.post('cid', { from: 'bob', text: 'other' });
    stop();
    await mailbox.post('ann', { from: 'bob', text: 'two' });
    expect(heard).toEqual(['one true']);
  });

  test.each(['[{"from":"bob"', '{"from":"bob"}', ''])('a damaged inbox is said and kept aside: %j', async (content) => {
    const { mailbox, inbox, logs } = box();
    await mailbox.post('ann', { from: 'bob', text: 'before' });
    writeFileSync(inbox('ann'), content);
    await mailbox.post('ann', { from: 'bob', text: 'after' });
    expect(textsOf(await mailbox.unread('ann'))).toEqual(['after']);
    const [aside = ''] = readdirSync(join(inbox('ann'), '..')).filter((name) => name.includes('damaged'));
    expect(readFileSync(join(inbox('ann'), '..', aside), 'utf8')).toBe(content);
    expect(logs).toEqual([expect.stringContaining(aside)]);
  });

  test('a file that is full loses its oldest mail that was read, and never an unread one', async () => {
    const { mailbox, inbox } = box();
    await mailbox.post('ann', { id: 'kept', from: 'bob', text: 'unread and old' });
    const [first] = JSON.parse(readFileSync(inbox('ann'), 'utf8'));
    const read = Array.from({ length: 1200 }, (_, index) => ({ ...first, id: `r${index}`, read: true }));
    writeFileSync(inbox('ann'), JSON.stringify([first, ...read]));
    await mailbox.post('ann', { id: 'new', from: 'bob', text: 'new' });
    const ids = JSON.parse(readFileSync(inbox('ann'), 'utf8')).map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(1000);
    expect([ids[0], ids[1], ids.at(-1)]).toEqual(['kept', 'r202', 'new']);
  });

  test('two processes that post at the same time lose nothing', async () => {
    const { dir, mailbox } = box();
    const program = posterProgram(dir);
    const posters = ['x', 'y'].map((name) => spawn(process.execPath, [program, join(dir, 'team'), name, '40']));
    const codes = await Promise.all(posters.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0]);
    const shared = box(join(dir, 'team')).mailbox;
    const texts = textsOf(await shared.unread('ann'));
    expect(texts).toHaveLength(80);
    expect(new Set(texts).size).toBe(80);
    expect(textsOf(await mailbox.unread('ann'))).toEqual([]);
  });
});

/** A program that posts a number of mails, one after the other. */
function posterProgram(dir: string): string {
  const outfile = join(dir, 'poster.mjs');
  buildSync({
    stdin: {
      resolveDir: join(ROOT, 'src/agent/team'),
      loader: 'ts',
      contents: `
        import { createMailbox } from './mailbox.ts';
        import { lockedFiles } from './locked-files.ts';
        import { randomIds, systemClock } from '../../util/system-runtime.ts';
        const [dir = '', name, count] = process.argv.slice(2);
        const runtime = { clock: systemClock(), ids: randomIds(), log: () => {} };
        const mailbox = createMailbox({ dir, files: lockedFiles(), runtime });
        for (let each = 0; each < Number(count); each++) await mailbox.post('ann', { from: name, text: name + each });
      `,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return outfile;
}
