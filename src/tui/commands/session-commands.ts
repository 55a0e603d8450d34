import { getSessionInfo, listSessions } from '../../sdk/stored/sessions.ts';
import { openPager } from '../pager/open-pager.ts';
import { transcriptContent } from '../pager/transcript.ts';
import { goToSession } from '../pickers/go-to-session.ts';
import { SessionsPicker } from '../pickers/sessions-picker.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

const VALUES = 30;

/** Reading the conversation, and going to another one. */
export const SESSION_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'transcript',
    description: 'Read the whole conversation (ctrl+o)',
    async run(_argument, stage) {
      const content = await transcriptContent(stage);
      if (content.parts.length === 0) return ['There is nothing to read yet.'];
      openPager(stage, content);
      return [];
    },
  },
  {
    name: 'resume',
    aliases: ['sessions'],
    argumentHint: '[session]',
    description: 'Go to another session',
    async run(argument, stage) {
      if (stage.place.isGuest) return fromJoined(argument);
      if (argument === '') void new SessionsPicker(stage).open();
      else goToSession(stage, await findSession(argument, stage));
      return [];
    },
    async values(stage) {
      if (stage.place.isGuest) return [];
      const found = await listSessions({ ...homeOf(stage), dir: stage.place.cwd, limit: VALUES });
      return found.map(({ sessionId, summary }) => ({ value: sessionId, detail: summary }));
    },
  },
];

/** The sessions of a guest's own machine are not those that the joined session knows. */
function fromJoined(session: string): string[] {
  return [
    'This terminal has joined a session, and cannot go to another. /detach leaves it running; then',
    `  heddle attach ${session || 'SESSION'} joins one that runs`,
    `  heddle -r ${session || 'SESSION'} continues another one`,
  ];
}

/** By its id, the beginning of it, or its title. */
async function findSession(name: string, stage: Stage): Promise<{ resume: string; cwd?: string }> {
  const exact = /^[\da-f-]{36}$/i.test(name) ? await getSessionInfo(name, homeOf(stage)) : undefined;
  const all = exact ? [exact] : await listSessions(homeOf(stage));
  const fits = all.filter(({ sessionId, customTitle }) => sessionId.startsWith(name) || customTitle === name);
  const [found, second] = fits;
  if (!found) throw new Error(`there is no session ${name}; without a name it lists them`);
  if (second) throw new Error(`more than one session fits ${name}; without a name it lists them`);
  return { resume: found.sessionId, ...(found.cwd !== undefined && { cwd: found.cwd }) };
}

function homeOf({ place: { home } }: Stage): { home?: string } {
  return home === null ? {} : { home };
}
