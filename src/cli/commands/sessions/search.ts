import { type SessionHit, searchSessions } from '../../../admin/search-sessions.ts';
import { firstWords } from '../../../admin/session-views.ts';
import { sessionSummary } from '../../../admin/sessions.ts';
import { takeWords } from '../../flags/command-args.ts';
import { localTime } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, type Terminal, terminalOf } from '../../terminal/terminal.ts';
import { countFlag } from '../sessions-location.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions search [--regex] [--here] [--limit N] [--json] [--home DIR] TEXT

Looks for a text in what was said in all sessions, the one written to last first: prompts, answers,
thoughts, inputs and outputs of tools, titles. Case counts only when TEXT has a capital letter.

  --regex      TEXT is a regular expression of JavaScript
  --here       only in the sessions of this directory
  --limit N    so many hits at most (default 100; 0 for all)
  --json       as JSON: an array with sessionId, role, before, match, after, path, line, and where
               known uuid, timestamp, agentId
  --home DIR   in another config home; nothing is written there

Examples:
  heddle sessions search "rate limit"
  heddle sessions search --here --regex 'TODO|FIXME'

Exit codes: 0 found, 1 not found, or an error.
`;

const ENOUGH = 100;

export const search: SessionsAction = {
  help: HELP,
  flags: { '--regex': 'switch', '--here': 'switch', '--limit': 'text', '--json': 'switch' },
  async run(args, { home, cwd, log }) {
    const [query = ''] = takeWords(args.words, ['TEXT']);
    const limit = countFlag(args, '--limit', ENOUGH) || Number.POSITIVE_INFINITY;
    const where = { home, ...(args.has('--here') && { project: cwd }) };
    const options = { ...where, query, isPattern: args.has('--regex'), limit, env: process.env, log };
    const { hits, isCut } = await searchSessions(options);
    if (args.has('--json')) printJson(hits);
    else printLines(hitLines(hits, terminalOf(process.stdout, process.env)));
    if (isCut) printRemark(`there are more hits: --limit N shows more than ${limit}`);
    if (hits.length === 0) printRemark('nothing was found');
    return hits.length > 0 ? 0 : 1;
  },
};

/** A line for each session, with its hits below. */
function hitLines(hits: readonly SessionHit[], { paint, width, isTerminal }: Terminal): string[] {
  return hits.flatMap((hit, at) => {
    const { sessionId, agentId, role, before, match, after } = hit;
    const isFirst = hits[at - 1]?.path !== hit.path;
    const known = isFirst ? sessionSummary(hit.path) : null;
    const id = isTerminal ? sessionId.slice(0, 13) : sessionId;
    const agent = agentId === undefined ? '' : `  subagent ${agentId}`;
    const details = known ? `${localTime(known.lastModified)}  ${firstWords(known.summary, 60)}${agent}` : agent;
    const name = `  ${role.padEnd(ROLE_WIDTH)}`;
    const room = Math.max(20, width - name.length - 1);
    const [left, found] = [flat(before), flat(match)];
    const right = firstWords(after, Math.max(10, room - left.length - found.length)) || '';
    const space = /^\s/.test(after) && right !== '' ? ' ' : '';
    const snippet = `${left}${paint.red(paint.bold(found))}${space}${right}`;
    const line = `${paint.dim(name)} ${snippet}`;
    return isFirst ? [...(at > 0 ? [''] : []), `${paint.cyan(id)}  ${paint.dim(details)}`, line] : [line];
  });
}

const ROLE_WIDTH = 'tool result'.length;
const LONGEST = 200;

/** On one line; blanks at its ends stay, because other text surrounds it. */
function flat(text: string): string {
  const [, start = '', body = '', end = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return `${start === '' ? '' : ' '}${firstWords(body, LONGEST)}${end === '' ? '' : ' '}`;
}
