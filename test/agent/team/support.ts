import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { lockedFiles } from '../../../src/agent/team/locked-files.ts';
import { messageIdsIn } from '../../../src/agent/team/mail.ts';
import type { Member } from '../../../src/agent/team/member.ts';
import type { TeamRuntimePort } from '../../../src/agent/team/member-loop.ts';
import { createTeam, restoreTeam } from '../../../src/agent/team/open-team.ts';
import type { Team } from '../../../src/agent/team/team.ts';
import { raceAbort } from '../../../src/util/abort.ts';
import { seededRuntime } from '../../../src/util/seeded-runtime.ts';

export const SESSION = '00000000-0000-4000-8000-000000000001';

export function tempHome(): string {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-team-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** What a turn of a teammate does; the prompt is recorded when it is called. */
export type Turn = (prompt: string, member: Member, signal: AbortSignal) => Promise<string> | string;

export interface Rig {
  home: string;
  seams: TeamRuntimePort;
  /** The recorded prompts of each, by name; those of the leader under `team-lead`. */
  transcripts: Map<string, string[]>;
  logs: string[];
  wakes: number;
  /** By name; without one a turn says nothing. */
  turns: Record<string, Turn>;
  objections: string[];
}

export function createRig(home = tempHome(), transcripts = new Map<string, string[]>()): Rig {
  const promptsOf = (name: string) => transcripts.get(name) ?? transcripts.set(name, []).get(name) ?? [];
  const logs: string[] = [];
  const rig: Rig = {
    home,
    transcripts,
    logs,
    wakes: 0,
    turns: {},
    objections: [],
    seams: {
      async runTurn(member, prompt, { onRecorded, signal }) {
        promptsOf(member.name).push(prompt);
        await onRecorded();
        const turn = rig.turns[member.name]?.(prompt, member, signal) ?? '';
        return { text: await raceAbort(Promise.resolve(turn), signal) };
      },
      wakeLeader: () => {
        rig.wakes++;
      },
      onIdle: async () => rig.objections.shift() ?? null,
      onGone: async () => {},
      seenIds: async (member) => promptsOf(member?.name ?? 'team-lead').flatMap(messageIdsIn),
      runtime: {
        ...seededRuntime(`${home} ${transcripts.size}`),
        log: (level, text) => logs.push(`${level}: ${text}`),
      },
    },
  };
  return rig;
}

export function openTeam({ home, seams: port }: Rig, name = 'crew'): Promise<Team> {
  const cwd = '/somewhere';
  return closing(createTeam({ home, port, name, cwd, files: lockedFiles(), leadSessionId: SESSION, leadModel: 'm' }));
}

export function reopenTeam({ home, seams: port }: Rig, name = 'crew'): Promise<Team | null> {
  return closing(restoreTeam({ home, port, name, files: lockedFiles() }));
}

async function closing<T extends Team | null>(opening: Promise<T>): Promise<T> {
  const team = await opening;
  onTestFinished(async () => team?.close());
  return team;
}

export function mate(name: string, prompt = `Be ${name}`): Parameters<Team['spawn']>[0] {
  return { name, prompt, agentType: 'general-purpose', model: 'm', cwd: '/somewhere' };
}

export const stateOf = (team: Team, name: string) => team.members().find((each) => each.name === name)?.state;

export const untilState = (team: Team, name: string, state: string) =>
  vi.waitUntil(() => stateOf(team, name) === state, { interval: 2, timeout: 5000 });

/** Takes the leader's mail as a turn would. */
export async function readMail(team: Team, { transcripts }: Rig): Promise<string> {
  const mail = await team.leaderMail();
  if (mail === null) return '';
  transcripts.set('team-lead', [...(transcripts.get('team-lead') ?? []), mail.prompt]);
  await mail.acknowledge();
  return mail.prompt;
}
