import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { ask, entriesOf, GREET, project, run, user } from '../support/extensions.ts';
import { initOf, kindOf, resultOf, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

describe('[FLD-05] a command of a file', () => {
  test('[SES-04] is two entries: which it was, and what it stands for', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/mycmd.md': '---\ndescription: Mine\nargument-hint: [what]\n---\nDo $ARGUMENTS now.\n' });
    const { lines, stderr } = await run(place, '/mycmd foo  bar');
    expect(stderr).toBe('');
    const said =
      '<command-message>mycmd</command-message>\n<command-name>/mycmd</command-name>\n<command-args>foo  bar</command-args>';
    const [, command, meta] = entriesOf(place, lines);
    expect(command).toMatchObject({ type: 'user', parentUuid: null, message: { role: 'user', content: said } });
    expect(command).not.toHaveProperty('isMeta');
    expect(meta).toMatchObject({ parentUuid: command?.uuid, isMeta: true });
    expect(meta?.message?.content).toEqual([{ type: 'text', text: 'Do foo  bar now.\n' }]);
    expect(textsOf(bodyOf(place.api.requests[0]).messages[0]).slice(0, 2)).toEqual([said, 'Do foo  bar now.\n']);
    expect(lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
  });

  test('[QM-06] is told to hosts with its hint', async () => {
    const place = await makePlace();
    project(place, { 'commands/git/commit.md': '---\ndescription: Commits\nargument-hint: [message]\n---\nx' });
    const cli = startCli(STREAM_BOTH, { place });
    const { response } = await cli.control({ subtype: 'initialize' });
    const { commands } = response as { commands: unknown[] };
    expect(commands).toContainEqual({ name: 'git:commit', description: 'Commits', argumentHint: '[message]' });
  });

  test('words, shell commands and mentioned files', async () => {
    const place = await makePlace(['Done.']);
    put(join(place.cwd, 'notes.md'), 'the-notes');
    project(place, {
      'commands/look.md':
        '---\nallowed-tools: Bash(printf:*)\n---\nFirst $1, second $2, third $3.\nOut: !`printf made-%s $1`\nSee @notes.md\n',
    });
    const { lines, stderr } = await run(place, '/look one "two words"', '--trust');
    expect(stderr).toBe('');
    const sent = conversationText(place.api.requests[0]);
    expect(sent).toContain('First one, second two words, third $3.\nOut: made-one\nSee @notes.md\n');
    expect(sent).toContain('the-notes');
    expect(resultOf(lines)).toMatchObject({ subtype: 'success', permission_denials: [] });
  });

  test('an argument brings no command along', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/say.md': 'Say $ARGUMENTS' });
    await run(place, '/say !`touch fired` $1 $ARGUMENTS', '--dangerously-skip-permissions', '--trust');
    expect(existsSync(join(place.cwd, 'fired'))).toBe(false);
    expect(conversationText(place.api.requests[0])).toContain('Say !`touch fired` $1 $ARGUMENTS');
  });

  test('a shell command that may not run ends the turn before anything is said', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/bad.md': 'Out: !`touch fired`' });
    const { lines, code } = await run(place, '/bad', '--trust');
    expect(code).toBe(1);
    expect(resultOf(lines)).toMatchObject({
      subtype: 'error_during_execution',
      error_code: 'command_refused',
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'touch fired' } }],
    });
    expect(existsSync(join(place.cwd, 'fired'))).toBe(false);
    expect(place.api.requests).toEqual([]);
  });

  test('its model answers, for that turn', async () => {
    const place = await makePlace(() => 'Done.');
    user(place, { 'commands/quick.md': '---\nmodel: haiku\n---\nQuick' });
    const cli = startCli(STREAM_BOTH, { place });
    const lines = [...(await ask(cli, '/quick')), ...(await ask(cli, 'usual'))];
    expect(place.api.requests.map((request) => bodyOf(request).model.split('-')[1])).toEqual(['haiku', 'sonnet']);
    const inits = lines.filter((line) => kindOf(line) === 'system/init');
    expect(inits.map(({ model }) => String(model).split('-')[1])).toEqual(['haiku', 'sonnet']);
  });

  test('--disable-slash-commands: none is read, and a slash is a slash', async () => {
    const place = await makePlace(['Done.']);
    project(place, { 'commands/mycmd.md': 'Do it', 'skills/greet/SKILL.md': GREET });
    const { lines } = await run(place, '/mycmd foo', '--disable-slash-commands');
    expect(initOf(lines)).toMatchObject({ slash_commands: [], skills: [] });
    const sent = conversationText(place.api.requests[0]);
    expect(sent).toContain('/mycmd foo');
    expect(sent).not.toContain('greet');
  });
});
