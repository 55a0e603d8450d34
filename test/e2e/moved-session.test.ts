import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { conversationText } from '../support/requests.ts';

test.each(['the file', 'its folder', 'all sessions'])(
  '[S-1, S-2] %s moved away during a session: a resume has all that was said, and the move is told',
  async (what) => {
    const place = await makePlace(['first answer', 'second answer', 'third answer', 'fourth answer']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('first prompt');
    const { session_id } = await cli.nextResult();
    const projects = join(place.home, 'projects');
    const [slug = ''] = readdirSync(projects);
    const moved = { 'the file': join(slug, `${session_id}.jsonl`), 'its folder': slug, 'all sessions': '' }[what] ?? '';
    mkdirSync(join(place.root, 'backup'));
    renameSync(join(projects, moved), join(place.root, 'backup', 'moved'));
    cli.say('second prompt');
    expect(await cli.nextResult()).toMatchObject({ is_error: false });
    cli.say('third prompt');
    await cli.nextResult();
    cli.kill('SIGKILL');
    const { stderr } = await cli.finished;
    expect(stderr.match(/was moved away while in use; it was written anew/g)).toHaveLength(1);
    await runCli([...STREAM_OUT, '--resume', String(session_id), 'fourth prompt'], { place });
    const asked = conversationText(place.api.requests[3]);
    for (const text of ['first', 'second', 'third']) {
      expect(asked).toContain(`${text} prompt`);
      expect(asked).toContain(`${text} answer`);
    }
  },
);
