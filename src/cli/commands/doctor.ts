import { resolve } from 'node:path';
import type { Check, CheckStatus } from '../../admin/doctor/check.ts';
import { type DoctorReport, examine } from '../../admin/doctor/doctor.ts';
import { openEngine } from '../../host/engine/engine.ts';
import { configHome } from '../../host/engine/environment.ts';
import { realDirectory } from '../../host/launch/launch-context.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { printHelp, printJson, printLines, type Terminal, terminalOf } from '../terminal/terminal.ts';

export const DOCTOR_HELP = `Usage: heddle doctor [--network] [--json] [options] [directory]

Checks what a run in the directory (default: this one) needs, and says what to do: Node, ripgrep,
git, the sandbox, the config home, settings and trust, credentials and model, MCP servers, sessions,
worktrees. Nothing is changed and no model is asked. MCP servers of this machine are started and
ended again; those of a project that you do not trust are not. No part of a key is ever shown.

  --network   asks remote MCP servers, too
  --json      as JSON: {checks: [{id, status, summary, next?, facts}], ok}; status is ok, warning
              or problem

Of a run: --model, --settings, --setting-sources, --managed-settings, --mcp-config,
--strict-mcp-config, --plugin-dir, --trust.

Examples:
  heddle doctor
  heddle doctor --network ~/src/loom
  heddle doctor --json | jq '.checks[] | select(.status != "ok")'

Exit codes: 0 no problem (warnings do not count), 1 at least one.
`;

/** `heddle doctor …`; resolves with the exit code. */
export async function runDoctor(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle doctor',
    own: { '--json': 'switch', '--network': 'switch' },
    run: [
      ...['--model', '--settings', '--setting-sources', '--managed-settings', '--trust'],
      ...['--mcp-config', '--strict-mcp-config', '--plugin-dir'],
    ],
  });
  if (!args) {
    printHelp(DOCTOR_HELP);
    return 0;
  }
  const [directory = '.'] = takeWords(args.words, ['directory'], 0);
  const report = await examined(directory, args);
  if (args.has('--json')) printJson(report);
  else printLines(reportLines(report, terminalOf(process.stdout, process.env)));
  return report.ok ? 0 : 1;
}

async function examined(directory: string, { config, has }: CommandArgs): Promise<DoctorReport> {
  const { env } = process;
  const cwd = realDirectory(directory, 'The directory argument', process.cwd());
  const engine = openEngine({ cwd, env });
  try {
    const nodeVersion = process.versions.node;
    return await examine({
      cwd,
      env,
      home: homeOrNull(),
      config,
      engine,
      nodeVersion,
      mayUseNetwork: has('--network'),
    });
  } finally {
    await engine.close();
  }
}

function homeOrNull(): string | null {
  try {
    return resolve(process.cwd(), configHome(process.env));
  } catch {
    return null; // the check of the home reports this
  }
}

function reportLines({ checks }: DoctorReport, terminal: Terminal): string[] {
  const width = Math.max(...checks.map(({ id }) => printable(id).length));
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  return [
    ...checks.flatMap((check) => checkLines(check, width, terminal)),
    '',
    `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`,
  ];
}

const STATUS_WIDTH = 'warning'.length;

function checkLines({ id, status, summary, next }: Check, idWidth: number, { paint, room }: Terminal): string[] {
  const colours: Record<CheckStatus, (text: string) => string> = {
    ok: paint.green,
    warning: paint.yellow,
    problem: paint.red,
  };
  const lead = `${status.padEnd(STATUS_WIDTH)}  ${printable(id).padEnd(idWidth)}  `;
  const [first = '', ...more] = wrapText(printable(summary), room, { lead });
  const advice = next === undefined ? [] : wrapText(`→ ${printable(next)}`, room, { lead: ' '.repeat(lead.length) });
  const state = colours[status](first.slice(0, STATUS_WIDTH));
  return [`${state}${first.slice(STATUS_WIDTH)}`, ...more, ...advice.map((line) => paint.dim(line))];
}

function counted(count: number, word: string): string {
  if (count === 0) return `no ${word}s`;
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
