import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { ask, entriesOf, project, run, user } from '../support/extensions.ts';
import { initOf, resultOf, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

const lastTexts = (request: Parameters<typeof bodyOf>[0]) => textsOf(bodyOf(request).messages.at(-1));

describe('[FLD-05] the names of commands and skills', () => {
  const names = ['2fa', '_own', '-dash', 'v1.2', 'größe', '日本', 'a+b'];

  test('are what files can be called', async () => {
    const place = await makePlace(() => 'Done.');
    for (const name of names) {
      project(place, {
        [`commands/${name}.md`]: `COMMAND<${name}> $ARGUMENTS.`,
        [`skills/s${name}/SKILL.md`]: `---\ndescription: Helps\n---\nSKILL<${name}> $ARGUMENTS.`,
      });
    }
    const cli = startCli(STREAM_BOTH, { place });
    for (const name of names) {
      await ask(cli, `/${name} now`);
      expect(lastTexts(place.api.requests.at(-1)).join()).toContain(`COMMAND<${name}> now.`);
      await ask(cli, `/s${name} now`);
      expect(lastTexts(place.api.requests.at(-1)).join()).toContain(`SKILL<${name}> now.`);
    }
    expect(initOf(cli.lines).slash_commands).toEqual(expect.arrayContaining(names));
    expect(cli.stderr).toBe('');
  });

  test('one that cannot be typed is left to the model, which is said', async () => {
    const place = await makePlace(['Done.']);
    project(place, {
      'skills/two words/SKILL.md': '---\ndescription: Helps\n---\nHelp.',
      'commands/three more words.md': 'Never.',
    });
    const { lines, stderr } = await run(place, 'go');
    expect(initOf(lines).skills).toContain('two words');
    expect(stderr).toMatch(/two words\/SKILL\.md: .* cannot be typed as a command, so that only the model calls for/);
    expect(stderr).toMatch(/three more words\.md: .* so that this one is never called/);
    expect(conversationText(place.api.requests[0])).toContain('- two words: Helps');
  });

  test.each(['/1.5 times as fast', '/* is no comment', '/tmp is full'])('%j is a text', async (prompt) => {
    const place = await makePlace(['Done.']);
    const { lines } = await run(place, prompt);
    expect(resultOf(lines)).toMatchObject({ result: 'Done.' });
    expect(lastTexts(place.api.requests[0])).toContain(prompt);
  });
});

describe('a file named like a command of ours', () => {
  const names = ['branch', 'context', 'cost', 'fork', 'help', 'memory', 'model'];
  const files = Object.fromEntries(names.map((name) => [`commands/${name}.md`, `OWN<${name}> $ARGUMENTS.`]));

  test('stands in for it, and is listed once', async () => {
    const place = await makePlace(() => 'Done.');
    user(place, files);
    const cli = startCli(STREAM_BOTH, { place });
    for (const name of names) {
      await ask(cli, `/${name} now`);
      expect(lastTexts(place.api.requests.at(-1)).join()).toContain(`OWN<${name}> now.`);
    }
    const listed = initOf(cli.lines).slash_commands as string[];
    expect(names.map((name) => listed.filter((each) => each === name).length)).toEqual(names.map(() => 1));
    expect(cli.stderr).toBe('');
  });

  test('[G1] stands in for nothing where nobody trusts the project', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/cost.md': 'OWN' });
    const untrusted = await run(place, '/cost');
    expect(place.api.requests).toEqual([]);
    expect(untrusted.stderr).toContain('cost.md (name)');
    expect(initOf(untrusted.lines).trust).toMatchObject({ ignored: [expect.stringMatching(/cost\.md: name$/)] });
    await run(place, '/cost', '--trust');
    expect(conversationText(place.api.requests[0])).toContain('OWN');
  });

  test('one of a plugin is found by its bare name', async () => {
    const place = await makePlace(['Done.']);
    project(place, { '../kit/commands/help.md': 'OWN', '../kit/commands/compact.md': 'NEVER' });
    const plugin = ['--plugin-dir', join(place.cwd, 'kit')];
    await run(place, '/help', ...plugin);
    expect(conversationText(place.api.requests[0])).toContain('OWN');
    expect(resultOf((await run(place, '/compact', ...plugin)).lines).subtype).toBe('success');
    expect(place.api.requests).toHaveLength(1);
  });
});

describe('a command behind other blocks', () => {
  const before = { type: 'text', text: 'The pull request says so.' };
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };

  test('[SES-04] is expanded, and what stands before it is said with it', async () => {
    const place = await makePlace(() => 'Done.');
    project(place, { 'commands/fix.md': 'Fix $ARGUMENTS.' });
    const cli = startCli(STREAM_BOTH, { place });
    cli.say([before, image, { type: 'text', text: '/fix it' }]);
    await cli.nextResult();
    const said =
      '<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>it</command-args>';
    const text = { type: 'text', text: 'Fix it.' };
    const [, command, meta] = entriesOf(place, cli.lines);
    expect(command?.message?.content).toBe(said);
    expect(meta).toMatchObject({ isMeta: true, message: { content: [before, image, text] } });
    const sent = bodyOf(place.api.requests[0]).messages[0]?.content;
    expect((sent as object[]).slice(0, 4)).toMatchObject([{ type: 'text', text: said }, before, image, text]);
    const { session_id } = initOf(cli.lines);
    cli.endInput();
    await cli.finished;
    await run(place, 'go on', '--resume', String(session_id));
    const resumed = bodyOf(place.api.requests[1]).messages[0]?.content;
    expect((resumed as object[]).slice(0, 4)).toEqual((sent as object[]).slice(0, 4));
  });

  test('is answered here where it is one of ours, and what stands before it stays in the conversation', async () => {
    const place = await makePlace(['Done.']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say([before, { type: 'text', text: '/cost' }]);
    await cli.nextResult();
    expect(place.api.requests).toEqual([]);
    await ask(cli, 'and now?');
    const texts = textsOf(bodyOf(place.api.requests[0]).messages[0]);
    expect(texts).toContain(before.text);
    expect(texts.indexOf(before.text)).toBeLessThan(texts.findIndex((text) => text.includes('/cost</command-name>')));
  });

  test('only the last of them is one', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/fix.md': 'Fix $ARGUMENTS.' });
    const cli = startCli(STREAM_BOTH, { place });
    cli.say([{ type: 'text', text: '/fix it' }, before]);
    await cli.nextResult();
    expect(lastTexts(place.api.requests[0])).toEqual(expect.arrayContaining(['/fix it', before.text]));
  });
});

describe('fenced shell lines', () => {
  const FENCED =
    '---\ndescription: Looks\nallowed-tools: Bash(printf:*)\n---\nSo:\n```!\nprintf one-%s $1\nprintf two\n```\nDone.\n';

  test.each(['commands/look.md', 'skills/look/SKILL.md'])('run, in %s', async (file) => {
    const place = await makePlace(['Done.']);
    project(place, { [file]: FENCED });
    const { lines, stderr } = await run(place, '/look x', '--trust');
    expect(stderr).toBe('');
    expect(conversationText(place.api.requests[0])).toContain('So:\none-xtwo\nDone.');
    expect(resultOf(lines)).toMatchObject({ is_error: false, permission_denials: [] });
  });

  test('[G1, K44] do not run past the gate, nor untrusted', async () => {
    const place = await makePlace([]);
    project(place, { 'commands/look.md': 'So:\n```!\ntouch fired\n```\n' });
    for (const flags of [['--trust'], ['--dangerously-skip-permissions']]) {
      const { lines } = await run(place, '/look', ...flags);
      expect(resultOf(lines)).toMatchObject({ is_error: true, error_code: 'command_refused' });
    }
    expect(existsSync(join(place.cwd, 'fired'))).toBe(false);
    expect(place.api.requests).toEqual([]);
  });
});
