import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { askedAs, callingProgram, type PromptKind } from './calling-program.ts';
import { cast, lastText } from './cast.ts';
import { isResult, type Line } from './lines.ts';
import { makePlace, type Place } from './place.ts';
import { always, approve, byTheBook, createTeam, mailTo, startMate } from './team-play.ts';

export interface TeamRun {
  place: Place;
  lines: Line[];
  results: Line[];
  /** What of the program was called, in order. */
  called: string[];
  /** From the leader's first result to the end. */
  lastedMs: number;
}

/**
 * A program whose leader is done at once, and whose teammate works so long before it needs a hook, a permission and a
 * tool of the program.
 */
export async function runLongTeammate(prompt: PromptKind, workMs: number): Promise<TeamRun> {
  const place = await makePlace(longScript(workMs));
  const { options, called } = callingProgram({ main: 'the leader', agent: 'a teammate' }, 'Bash|mcp__own__note');
  const lines: Line[] = [];
  let firstAt = 0;
  const isEnough = (line: Line) => isResult(line) && line.result === 'I heard all of it.';
  const how = { place, options: { teams: true, ...options }, isEnough };
  for await (const line of askedAs({ kind: prompt, prompt: 'LEAD go' }, how)) {
    lines.push(line);
    if (isResult(line)) firstAt ||= Date.now();
  }
  return { place, lines, results: lines.filter(isResult), called, lastedMs: Date.now() - firstAt };
}

function longScript(workMs: number) {
  const goesOn = byTheBook(['mate1']);
  return cast<FakeApiRequest>({
    LEAD: [
      createTeam(),
      startMate('mate1', 'MATE do the research'),
      'Dispatched.',
      ...always((request) => (lastText(request).includes('found it') ? 'I heard all of it.' : goesOn(request))),
    ],
    MATE: [
      async () => {
        await sleep(workMs);
        return toolUse('Bash', { command: 'touch made' });
      },
      toolUse('mcp__own__note', { text: 'from the teammate' }),
      mailTo('team-lead', 'found it'),
      'I have told it.',
      approve(),
      'Good bye.',
    ],
  });
}

/** All that the program is called with, by the teammate alone. */
export const CALLED = [
  'hook: Bash',
  'asked: Bash by a teammate',
  'hook: mcp__own__note',
  'tool: from the teammate',
] as const;
