import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeApiRequest } from '../../src/testing/index.ts';
import { hang, reply, type Script, text, toolUse } from '../../src/testing/index.ts';
import { makePlace } from './place.ts';
import { openPane } from './tmux-pane.ts';

/** What a person and the session are at when the process is killed. */
export const KILL_PHASES = ['typing', 'asking', 'streaming', 'a list', 'idle'] as const;
export type KillPhase = (typeof KILL_PHASES)[number];

const SCRIPTS: Readonly<Record<KillPhase, Script<FakeApiRequest>>> = {
  typing: ['Said before the draft.'],
  asking: [toolUse('Bash', { command: 'touch made' })],
  streaming: [reply([text('Half of ', 'an answer')], { fault: { after: { events: 4 }, how: 'hang' } })],
  'a list': [toolUse('Bash', { command: 'sleep 60', run_in_background: true }), hang()],
  idle: ['Said before the end.'],
};

/** Brings a session into the phase, kills it after a random moment, and tells what is not as it should be then. */
export async function killAtPhase(phase: KillPhase, random: () => number): Promise<string[]> {
  const place = await makePlace(SCRIPTS[phase]);
  const flags = phase === 'a list' ? '--allowedTools Bash' : '';
  const pane = openPane(place, `"a first prompt" ${flags}`);
  const draft = `draft ${Math.floor(random() * 1e6)}`;
  switch (phase) {
    case 'typing':
      await pane.sees('Said before the draft.');
      pane.keys('-l', draft);
      await pane.sees(draft);
      await until(() => drafts(place.home).includes(draft));
      break;
    case 'asking':
      await pane.sees('1 Yes');
      break;
    case 'streaming':
      await pane.sees('Half of');
      break;
    case 'a list':
      await pane.sees('sleep 60');
      pane.keys('-l', '/tasks');
      pane.keys('Enter');
      await pane.sees('1 running');
      break;
    case 'idle':
      await pane.sees('Said before the end.');
      break;
    default:
      throw phase satisfies never;
  }
  await new Promise((resolve) => setTimeout(resolve, random() * 100));
  process.kill(pane.pid(), 'SIGKILL');
  await pane.isRestored();
  const faults: string[] = [];
  if (phase === 'typing' && !drafts(place.home).includes(draft)) faults.push(`the draft is gone: ${draft}`);
  if (existsSync(join(place.cwd, 'made'))) faults.push('a call ran that nobody has allowed');
  if (!transcript(place.home).some((line) => line.includes('a first prompt')))
    faults.push('the prompt is not in the session');
  if (!pane.shown().includes('heddle -c')) faults.push('nothing tells how to go on');
  return faults.map((fault) => `${phase}: ${fault}`);
}

function drafts(home: string): string {
  return filesBelow(join(home, 'drafts')).join('\n');
}

/** All lines of the sessions; each must be JSON. */
function transcript(home: string): string[] {
  const lines = filesBelow(join(home, 'projects')).flatMap((file) => file.split('\n').slice(0, -1));
  for (const line of lines) JSON.parse(line);
  return lines;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'));
}

async function until(isSo: () => boolean): Promise<void> {
  const patience = Date.now() + 15_000;
  while (!isSo() && Date.now() < patience) await new Promise((resolve) => setTimeout(resolve, 50));
}
