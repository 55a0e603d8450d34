import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { subagentsFolder, transcriptPaths } from '../../src/sessions/files/session-paths.ts';
import { getSubagentMessages, listSubagents } from '../../src/sessions/stored/messages.ts';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { resultOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';

const fileOf = (place: Place, sessionId: unknown) =>
  transcriptPaths(place.home, { project: place.cwd, sessionId: String(sessionId) })[0];

test('[B-096] messages of subagents tell which call they belong to, and who has made it', async () => {
  const lead = { description: 'leads', prompt: 'Lead.', tools: ['Task'] };
  const task = (id: string, description: string) =>
    toolUse('Task', { description, prompt: 'look', subagent_type: 'lead' }, id);
  const place = await makePlace([task('toolu_outer', 'outer'), task('toolu_inner', 'inner'), 'deep', 'seen', 'done']);
  const { lines } = await runCli([...STREAM_OUT, 'go', '--agents', JSON.stringify({ lead })], { place });
  const path = fileOf(place, resultOf(lines).session_id);
  const told = await Promise.all(
    listSubagents(path).map(async (id) => ({ id, all: await getSubagentMessages(path, id) })),
  );
  const called = (by: string) =>
    told.find(({ all }) => all.every(({ parent_tool_use_id }) => parent_tool_use_id === by));
  expect(told).toHaveLength(2);
  const outer = called('toolu_outer');
  expect(outer?.all[0]).toMatchObject({ type: 'user', parent_agent_id: null });
  expect(called('toolu_inner')?.all[0]).toMatchObject({ type: 'user', parent_agent_id: outer?.id });
  const { mode } = statSync(join(subagentsFolder(path), `agent-${outer?.id}.meta.json`));
  expect(mode & 0o777).toBe(0o600);
});

test('without session files there are none about agents, either', async () => {
  const call = toolUse('Task', { description: 'x', prompt: 'look', subagent_type: 'general-purpose' });
  const place = await makePlace([call, 'seen', 'done']);
  const { lines } = await runCli([...STREAM_OUT, 'go', '--no-session-persistence'], { place });
  expect(resultOf(lines)).toMatchObject({ subtype: 'success' });
  expect(listSubagents(fileOf(place, resultOf(lines).session_id))).toEqual([]);
});
