import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Options, SDKMessage } from '../../src/sdk/index.ts';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { cast, task } from '../support/cast.ts';
import { kindOf, type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

async function ask(place: Place, prompt: string, options: Options): Promise<Line[]> {
  const lines: Line[] = [];
  const run: AsyncIterable<SDKMessage> = sdk.query({
    prompt,
    options: { cwd: place.cwd, env: place.env, ...options },
  });
  for await (const message of run) lines.push(message as unknown as Line);
  return lines;
}

test('[OPT-05, K7] allowedTools: what is listed runs without canUseTool, anything else asks it', async () => {
  const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });
  const place = await makePlace([[touch('listed'), touch('asked')], 'Done.']);
  const asked: unknown[] = [];
  await ask(place, 'go', {
    allowedTools: ['Bash(touch listed)'],
    canUseTool: async (_name, input) => {
      asked.push(input.command);
      return { behavior: 'deny', message: 'no' };
    },
  });
  expect(asked).toEqual(['touch asked']);
  expect(['listed', 'asked'].map((name) => existsSync(join(place.cwd, name)))).toEqual([true, false]);
});

test('[OPT-43, SET-03, SET-04] of four settings the nearest counts: option, local, project, user', async () => {
  const tiers: [string, (place: Place) => void][] = [
    ['claude-of-the-user', ({ home }) => put(join(home, 'settings.json'), { model: 'claude-of-the-user' })],
    ['claude-of-the-project', ({ cwd }) => put(join(cwd, '.claude/settings.json'), { model: 'claude-of-the-project' })],
    ['claude-of-mine', ({ cwd }) => put(join(cwd, '.claude/settings.local.json'), { model: 'claude-of-mine' })],
  ];
  const place = await makePlace(() => 'Hello.');
  const settingSources: Options['settingSources'] = ['user', 'project', 'local'];
  for (const [model, write] of tiers) {
    write(place);
    await ask(place, 'hi', { settingSources });
    expect(bodyOf(place.api.requests.at(-1)).model).toBe(model);
  }
  await ask(place, 'hi', { settingSources, settings: { model: 'claude-of-the-flag' } });
  expect(bodyOf(place.api.requests.at(-1)).model).toBe('claude-of-the-flag');
  await ask(place, 'hi', { settingSources, settings: { model: 'claude-of-the-flag' }, model: 'claude-of-the-option' });
  expect(bodyOf(place.api.requests.at(-1)).model).toBe('claude-of-the-option');
});

test('[TYP-13, OPT-03] agents: each is asked with its own model, or with that of the session', async () => {
  const call = (name: string, prompt: string) => task(prompt, { subagent_type: name });
  const place = await makePlace(
    cast<FakeApiRequest>({
      MAIN: [[call('small', 'SMALL go'), call('same', 'SAME go'), call('silent', 'SILENT go')], 'Done.'],
      ...{ SMALL: ['ok'], SAME: ['ok'], SILENT: ['ok'] },
    }),
  );
  const agent = { description: 'helps', prompt: 'You help.' };
  await ask(place, 'MAIN go', {
    model: 'opus',
    agents: { small: { ...agent, model: 'haiku' }, same: { ...agent, model: 'inherit' }, silent: agent },
  });
  const models = Object.fromEntries(
    place.api.requests.map((request) => {
      const { messages, model } = bodyOf(request);
      return [/MAIN|SMALL|SAME|SILENT/.exec(JSON.stringify(messages[0]))?.[0], model.split('-')[1]];
    }),
  );
  expect(models).toEqual({ MAIN: 'opus', SMALL: 'haiku', SAME: 'opus', SILENT: 'opus' });
});

test('[B-050] skills: those that are named are offered to the model and may be used, or all', async () => {
  const call = (skill: string) => toolUse('Skill', { skill });
  const used = async (skills: Options['skills']) => {
    const place = await makePlace([[call('greet'), call('part')], 'Done.']);
    const needsMore = '---\ndescription: says a word\nallowed-tools: Bash(touch:*)\n---\nSay it.\n';
    for (const name of ['greet', 'part']) put(join(place.home, 'skills', name, 'SKILL.md'), needsMore);
    const options: Options = { settingSources: ['user'], ...(skills && { skills }) };
    const results = (await ask(place, 'go', options)).flatMap((line) => toolResult(line) ?? []);
    const offered = conversationText(place.api.requests[0]);
    const names = ['greet', 'part'].filter((name) => offered.includes(`- ${name}: says a word`));
    return { names, failed: results.map(({ is_error }) => is_error === true) };
  };
  expect(await used(undefined)).toEqual({ names: ['greet', 'part'], failed: [true, true] });
  expect(await used(['greet'])).toEqual({ names: ['greet'], failed: [false, true] });
  expect(await used('all')).toEqual({ names: ['greet', 'part'], failed: [false, false] });
});

test('[TOOL-01, TOOL-06] the agents that come along are listed, and the tool starts each of them', async () => {
  const names = ['Bash', 'general-purpose', 'Explore', 'Plan'];
  const calls = names.map((name) => task(`CHILD ${name}`, { subagent_type: name }));
  const place = await makePlace(cast<FakeApiRequest>({ MAIN: [calls, 'Done.'], CHILD: ['ok'] }));
  const lines = await ask(place, 'MAIN go', {});
  expect(lines[0]).toMatchObject({ subtype: 'init', tools: expect.arrayContaining(['Task']) });
  expect(lines[0]?.agents).toEqual(expect.arrayContaining(names));
  const started = lines.filter((line) => kindOf(line) === 'system/task_started');
  expect(started).toHaveLength(names.length);
  expect(JSON.stringify(place.api.requests.at(-1)?.body).match(/agentId: a/g)).toHaveLength(names.length);
});
