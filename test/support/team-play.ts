import { type AnswerLike, type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { cast, type Line, lastText, task } from './cast.ts';
import { conversationText } from './requests.ts';

/** What leaders and teammates say in tests of teams. The team is called `crew`. */
export type TeamLine = Line<FakeApiRequest>;

export const createTeam = () => toolUse('TeamCreate', { team_name: 'crew', description: 'A test' });

export const startMate = (name: string, prompt: string, more: JsonObject = {}) =>
  task(prompt, { team_name: 'crew', name, ...more });

export const mailTo = (recipient: string, content: string) =>
  toolUse('SendMessage', { type: 'message', recipient, content, summary: 'news' });

export const approve = () => toolUse('SendMessage', { type: 'shutdown_response', approve: true });

export const reject = (reason: string) =>
  toolUse('SendMessage', { type: 'shutdown_response', approve: false, content: reason });

/** The flags of a run with teams, in which commands need no question. */
export const TEAMS = ['--teams', '--allowedTools', 'Bash'];

export interface SmallTeam {
  /** What the leader answers once its teammate is at work, by what it hears. */
  lead(request: FakeApiRequest): AnswerLike | Promise<AnswerLike>;
  mate: TeamLine[];
  /** The teammate's task, which begins with `MATE`. */
  prompt?: string;
}

/** The script of a leader, whose prompt begins with `LEAD`, and of its only teammate, `mate1`. */
export function smallTeam({ lead, mate, prompt = 'MATE go' }: SmallTeam) {
  const leader: TeamLine[] = [createTeam(), startMate('mate1', prompt), 'Dispatched.', ...always(lead)];
  return cast<FakeApiRequest>({ LEAD: leader, MATE: mate });
}

const askToShutDown = (recipient: string) => toolUse('SendMessage', { type: 'shutdown_request', recipient });

const TOLD = 'all teammates are idle';
const REMOVED = 'The team crew is removed';

/** The last answer of a leader who goes by the book. */
export const ALL_DONE = 'The team is gone. All is done.';

/** A part that always answers by what it has heard last, however often it is asked. */
export function always(line: (request: FakeApiRequest) => AnswerLike | Promise<AnswerLike>): TeamLine[] {
  return Array.from({ length: 500 }, () => line);
}

/**
 * What a leader does once its teammates are at work: takes note of what it hears, and shuts the team down when it is told
 * to. Who has rejected is asked again when it is idle.
 */
export function byTheBook(mates: readonly string[]): (request: FakeApiRequest) => AnswerLike {
  return (request) => {
    const [last, all] = [lastText(request), conversationText(request)];
    if (last.includes(REMOVED)) return ALL_DONE;
    if (last.includes('cannot be removed yet')) return 'I wait.';
    const left = mates.filter((name) => !approvedBy(all).has(name));
    const isDue = all.includes(TOLD) && !all.includes(REMOVED);
    if (isDue && left.length === 0) return toolUse('TeamDelete', {});
    const isIdleAgain = isDue && last.includes('"idle_notification"');
    if (last.includes(TOLD) || isIdleAgain) return left.map(askToShutDown);
    return 'Noted.';
  };
}

function approvedBy(conversation: string): Set<string> {
  const approvals = conversation.matchAll(
    /teammate_id="([\w-]+)"[^>]*>\n\{"type":"shutdown_response"[^\n]*"approve":true/g,
  );
  return new Set([...approvals].map(([, name = '']) => name));
}
