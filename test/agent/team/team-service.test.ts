import { writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LEADER } from '../../../src/agent/team/mail.ts';
import { createTeamService, type TeamService } from '../../../src/agent/team/team-service.ts';
import { sendMessageTool } from '../../../src/tools/agents/send-message.ts';
import { teamCreateTool, teamDeleteTool } from '../../../src/tools/agents/team-tools.ts';
import type { Tool, ToolContext } from '../../../src/tools/tool.ts';
import { toolServices } from '../../support/tool-services.ts';
import { createRig, mate, openTeam, type Rig, readMail, SESSION, untilState } from './support.ts';

function openRoom(rig: Rig, agents: Record<string, string[]> = {}): TeamService {
  const service = createTeamService({
    home: rig.home,
    leadSessionId: SESSION,
    leadModel: () => 'm',
    cwd: '/somewhere',
    port: rig.seams,
    sendToAgent: async (name, { from, content }) => (agents[name]?.push(`${from}: ${content}`) ?? 0) > 0,
  });
  onTestFinished(() => service.close());
  return service;
}

/** Calls a tool as the model would, in the name of `sender`. */
async function call<Input>(service: TeamService | null, sender: string, tool: Tool<Input>, input: object) {
  const parsed = tool.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const lookup = toolServices(service === null ? {} : { agents: { team: service.port(sender) } });
  return tool.run(parsed.value, { service: lookup } as ToolContext);
}

describe('the tools of a team', () => {
  test('[TEAM-01] [TEAM-02] have the results of the reference', async () => {
    const rig = createRig();
    const service = openRoom(rig);
    const created = await call(service, LEADER, teamCreateTool, { team_name: 'crew', description: 'all of us' });
    const team = service.team();
    expect(created.data).toEqual({ team_name: 'crew', team_file_path: team?.file, lead_agent_id: 'team-lead@crew' });
    expect(created.content).toEqual([{ type: 'text', text: JSON.stringify(created.data) }]);
    await team?.spawn(mate('mate1'));
    const input = { type: 'message', recipient: 'team-lead', content: 'mate result', summary: 'result' };
    const sent = await call(service, 'mate1', sendMessageTool, input);
    expect(sent.data).toEqual({
      success: true,
      message: expect.any(String),
      routing: {
        sender: 'mate1',
        senderColor: 'blue',
        target: '@team-lead',
        targetColor: 'red',
        summary: 'result',
        content: 'mate result',
      },
    });
    await expect(call(service, LEADER, teamCreateTool, { team_name: 'other' })).rejects.toThrow(
      /lead the team crew already/,
    );
    await expect(call(service, 'mate1', teamDeleteTool, {})).rejects.toThrow(/Only team-lead/);
    await expect(call(service, 'mate1', teamCreateTool, { team_name: 'x' })).rejects.toThrow(/You are in a team/);
  });

  test('TeamDelete makes room for the next team', async () => {
    const rig = createRig();
    const service = openRoom(rig);
    await call(service, LEADER, teamCreateTool, { team_name: 'crew' });
    const deleted = await call(service, LEADER, teamDeleteTool, {});
    expect(deleted.data).toEqual({ success: true, message: 'The team crew is removed.', team_name: 'crew' });
    await expect(call(service, LEADER, teamDeleteTool, {})).rejects.toThrow(/no team to remove/);
    expect((await call(service, LEADER, teamCreateTool, { team_name: 'crew' })).data).toMatchObject({
      team_name: 'crew',
    });
  });

  test('[K22] SendMessage reaches agents of the session by name, with and without a team', async () => {
    const scout: string[] = ['hired'];
    const service = openRoom(createRig(), { scout });
    const input = { type: 'message', recipient: 'scout', content: 'look left' };
    const { data } = await call(service, LEADER, sendMessageTool, input);
    expect(data).toMatchObject({ success: true, routing: { target: '@scout', content: 'look left' } });
    await expect(call(service, LEADER, sendMessageTool, { ...input, recipient: 'ghost' })).rejects.toThrow(
      /no agent named/,
    );
    await expect(call(service, LEADER, sendMessageTool, { type: 'broadcast', content: 'x' })).rejects.toThrow(
      /no team/i,
    );
    await call(service, LEADER, teamCreateTool, { team_name: 'crew' });
    await call(service, LEADER, sendMessageTool, { ...input, content: 'look right' });
    expect(scout).toEqual(['hired', 'team-lead: look left', 'team-lead: look right']);
    await expect(call(service, LEADER, sendMessageTool, { ...input, recipient: 'ghost' })).rejects.toThrow(/The team/);
  });

  test.each([
    [{ type: 'message', content: 'x' }, 'recipient'],
    [{ type: 'message', recipient: 'ann' }, 'content'],
    [{ type: 'broadcast' }, 'content'],
    [{ type: 'shutdown_request' }, 'recipient'],
    [{ type: 'shutdown_response' }, 'approve'],
    [{ type: 'plan_approval_request' }, 'content'],
    [{ type: 'plan_approval_response', approve: true }, 'recipient'],
    [{ type: 'plan_approval_response', recipient: 'ann' }, 'approve'],
  ])('SendMessage says what is missing: %j', async (input, field) => {
    const service = openRoom(createRig());
    await expect(call(service, LEADER, sendMessageTool, input)).rejects.toThrow(`A ${input.type} needs ${field}.`);
  });

  test('are refused where there are no teams, and have short descriptions', async () => {
    await expect(call(null, LEADER, teamDeleteTool, {})).rejects.toThrow(/no teams/);
    for (const { description } of [teamCreateTool, teamDeleteTool, sendMessageTool])
      expect(description.length).toBeLessThanOrEqual(600);
  });
});

describe('a session that comes back', () => {
  test('finds the team that it led, past others and broken ones', async () => {
    const rig = createRig();
    const broken = await openTeam(rig, 'aaa');
    writeFileSync(broken.file, '{"name":');
    const service = openRoom(rig);
    await call(service, LEADER, teamCreateTool, { team_name: 'crew' });
    await service.team()?.spawn(mate('ann'));
    await vi.waitUntil(() => rig.wakes === 1);

    const second = createRig(rig.home, rig.transcripts);
    const again = openRoom(second);
    const team = await again.restore();
    expect(team?.members().map(({ name }) => name)).toEqual(['ann']);
    expect(again.team()).toBe(team);
    if (team) await untilState(team, 'ann', 'idle');
    expect(team && (await readMail(team, second))).toContain('idle_notification');
    expect(second.logs).toEqual([expect.stringMatching(/aaa.*does not describe a team/)]);
  });

  test('without a team has none', async () => {
    expect(await openRoom(createRig()).restore()).toBeNull();
  });
});
