import { homedir } from 'node:os';
import { type RunningSession, runningSessions } from '../../../admin/running/running-sessions.ts';
import { shortIds } from '../../../admin/session-views.ts';
import { printable } from '../../../util/text/printable.ts';
import { localTime, shortPath } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import { type Column, tableLines } from '../table.ts';

/** `heddle sessions list --running`; resolves with the exit code. */
export function listRunning(home: string, { isJson }: { isJson: boolean }): number {
  const running = runningSessions(home);
  if (isJson) printJson(running.map(asJson));
  else if (running.length === 0) printRemark(`no session of ${home} runs now`);
  else printLines(lines(running));
  return 0;
}

const STATES: Readonly<Record<RunningSession['state'], string>> = {
  idle: 'idle',
  busy: 'working',
  asking: 'waits for an answer',
  running: 'of another program',
};

function lines(running: readonly RunningSession[]): string[] {
  const { paint, width, isTerminal } = terminalOf(process.stdout, process.env);
  const short = shortIds(running.map(({ sessionId }) => sessionId));
  const home = homedir();
  const shown = ({ sessionId }: RunningSession) => (isTerminal ? short(sessionId) : sessionId);
  const columns: Column[] = [
    { title: 'ID', cells: running.map(shown), paint: paint.cyan },
    { title: 'STATE', cells: running.map(({ state }) => STATES[state]) },
    {
      title: 'PROCESS',
      cells: running.map(({ pid, host, isHere }) => (isHere ? `${pid}` : `${pid} on ${printable(host)}`)),
    },
    {
      title: 'TERMINAL',
      cells: running.map(({ record }) => (record === null ? '–' : record.terminal ? 'yes' : 'none')),
    },
    { title: 'SINCE', cells: running.map(({ since }) => localTime(Date.parse(since))), paint: paint.dim },
    {
      title: 'DIRECTORY',
      cells: running.map(({ record }) => (record ? printable(shortPath(record.cwd, home)) : '?')),
      ...{ keep: 'end' as const, least: 10, paint: paint.dim },
    },
  ];
  const [head = '', ...rows] = tableLines(columns, width, { hasTitles: isTerminal });
  return isTerminal ? [paint.dim(head), ...rows] : [head, ...rows];
}

function asJson({ sessionId, state, pid, host, since, record }: RunningSession): Record<string, unknown> {
  const known = record && { cwd: record.cwd, terminal: record.terminal, hosts: record.hosts };
  return { sessionId, state, pid, host, since, ...known };
}
