import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { ask, entriesOf, GREET, project, run, user } from '../support/extensions.ts';
import { initOf, kindOf, resultOf, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { bodyOf, conversationText, isPrefix } from '../support/requests.ts';

describe('[B-219, SET-07] a skill', () => {
  const call = toolUse('Skill', { skill: 'greet', args: 'bob' });

  test('is listed to the model and to hosts, and its text comes behind the call that loads it', async () => {
    const place = await makePlace([call, 'Hi.']);
    project(place, { 'skills/greet/SKILL.md': GREET });
    const { lines, stderr, code } = await run(place, 'go');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(initOf(lines)).toMatchObject({ skills: ['debug', 'greet'], tools: expect.arrayContaining(['Skill']) });
    expect(initOf(lines).slash_commands).toEqual(expect.arrayContaining(['debug', 'greet']));
    const [first, second] = place.api.requests;
    expect(conversationText(first)).toMatch(/<system-reminder>\n[^\n]*Skill tool[^\n]*\n- greet: Greets people\n</);
    const folder = join(place.cwd, '.claude/skills/greet');
    const [result, body] = textsOf(bodyOf(second).messages.at(-1));
    expect(result).toContain('greet');
    expect(body).toBe(`<skill-folder>${folder}</skill-folder>\n\nSay hi to bob.\n`);
    expect(lines.map(kindOf)).toEqual(['system/init', 'assistant', 'user', 'user', 'assistant', 'result/success']);
    expect(lines[2]).toMatchObject({ tool_use_result: { success: true, commandName: 'greet' } });
    expect(lines[3]).toMatchObject({ isSynthetic: true, message: { content: [{ type: 'text', text: body }] } });
    expect(resultOf(lines)).toMatchObject({ num_turns: 3 });
    const meta = entriesOf(place, lines).find(({ isMeta }) => isMeta === true);
    expect(meta).toMatchObject({
      uuid: lines[3]?.uuid,
      parentUuid: lines[2]?.uuid,
      sourceToolUseID: expect.any(String),
    });
  });

  test('sends the same after a resume, the list of skills included', async () => {
    const both = [
      { ...call, id: 'a' },
      { ...call, id: 'b' },
    ];
    const place = await makePlace([both, 'Hi.', 'Again.']);
    project(place, { 'skills/greet/SKILL.md': GREET });
    const { lines } = await run(place, 'go');
    await run(place, 'more', '--resume', String(initOf(lines).session_id));
    const [, before, after] = place.api.requests.map(bodyOf);
    expect(before && after && isPrefix(before, after)).toBe(true);
    expect(conversationText(place.api.requests[2]).match(/Say hi to bob/g)).toHaveLength(2);
    expect(conversationText(place.api.requests[2]).match(/- greet: Greets/g)).toHaveLength(1);
  });

  test('that nobody has is answered with the names of those that are there', async () => {
    const place = await makePlace([toolUse('Skill', { skill: 'greed' }), 'Well.']);
    project(place, { 'skills/greet/SKILL.md': GREET });
    const { lines } = await run(place, 'go');
    expect(textsOf(lines[2]?.message)[0]).toMatch(/<tool_use_error>.*Unknown skill: greed.*greet/);
  });

  test('whose front matter says so is for users only, or for the model only', async () => {
    const place = await makePlace([call, 'no']);
    project(place, {
      'skills/greet/SKILL.md': '---\ndescription: G\ndisable-model-invocation: true\n---\nhi',
      'skills/quiet/SKILL.md': '---\ndescription: Q\nuser-invocable: false\n---\nsh',
    });
    const { lines } = await run(place, 'go');
    expect(conversationText(place.api.requests[0])).toMatch(/\n- quiet: Q\n<\/system-reminder>/);
    expect(conversationText(place.api.requests[0])).not.toContain('- greet');
    expect(textsOf(lines[2]?.message)[0]).toContain('Unknown skill: greet');
    expect(initOf(lines).slash_commands).toEqual(expect.arrayContaining(['greet']));
    expect(initOf(lines).slash_commands).not.toContain('quiet');
    expect(resultOf((await run(place, '/quiet')).lines).result).toBe('Unknown skill: quiet');
  });

  test('[TOOL-07] debug comes along, for users; where no others are, the model is not told of any', async () => {
    const place = await makePlace(['Looked.']);
    const { lines } = await run(place, '/debug it hangs');
    expect(initOf(lines)).toMatchObject({ skills: ['debug'], tools: expect.not.arrayContaining(['Skill']) });
    const sent = conversationText(place.api.requests[0]);
    expect(sent).toContain('What the user says of it: it hangs');
    expect(sent).toContain(`heddle sessions show ${initOf(lines).session_id}`);
    expect(sent).not.toContain('Skill tool');
  });

  test('that asks for more than to be read needs permission, which a rule can give by name', async () => {
    const place = await makePlace((_request, at) => [call, 'Done.'][at % 2] as string);
    user(place, {
      'skills/greet/SKILL.md': '---\ndescription: G\nallowed-tools: Bash(touch:*)\n---\nhi\n',
    });
    const denied = await run(place, 'go');
    expect(resultOf(denied.lines)).toMatchObject({ permission_denials: [{ tool_name: 'Skill' }] });
    const allowed = await run(place, 'go', '--allowedTools', 'Skill(greet)');
    expect(resultOf(allowed.lines)).toMatchObject({ permission_denials: [] });
    const other = await run(place, 'go', '--allowedTools', 'Skill(gre)', 'Skill(x:*)');
    expect(resultOf(other.lines)).toMatchObject({ permission_denials: [{ tool_name: 'Skill' }] });
    const taken = await run(place, 'go', '--disallowedTools', 'Skill(greet)', '--dangerously-skip-permissions');
    expect(resultOf(taken.lines)).toMatchObject({ permission_denials: [{ tool_name: 'Skill' }] });
  });

  test('allows what it names for the rest of the turn, and not beyond', async () => {
    const touch = toolUse('Bash', { command: 'touch made' });
    const place = await makePlace([call, touch, 'Done.', touch, 'Done.']);
    user(place, { 'skills/greet/SKILL.md': '---\nallowed-tools: Bash(touch:*)\n---\nhi\n' });
    const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Skill'], { place });
    const results = [await ask(cli, 'one'), await ask(cli, 'two')].map(resultOf);
    expect(results.map(({ permission_denials }) => (permission_denials as unknown[]).length)).toEqual([0, 1]);
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  });
});
