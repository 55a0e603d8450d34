import { distrustDirectory, listTrust, trustDirectory } from '../../admin/trust.ts';
import { configHome } from '../../host/engine/environment.ts';
import { type TrustView, viewTrust } from '../../host/launch/view-trust.ts';
import { printable } from '../../util/text/printable.ts';
import { parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { columns, shownValue } from '../terminal/show-value.ts';
import { canAsk, confirms, printHelp, printJson, printLines, printRemark, terminalOf } from '../terminal/terminal.ts';
import { commandLocation, lastingPath } from './command-location.ts';

export const TRUST_HELP = `Usage: heddle trust [--yes] [directory]
       heddle trust --list [--json]
       heddle trust --remove [directory]

Lets the settings files of a project act: its allow rules, mode, variables, model and further
directories. Without trust they only forbid. Shows what would act, and asks. Trust holds for the
files as they are now: whoever changes one of them must be trusted again.

  --yes      does not ask
  --list     the directories that are trusted, since when, and whether they still are
  --json     with --list: as JSON
  --remove   takes the trust away

Examples:
  heddle trust
  heddle trust --yes ~/src/loom
  heddle trust --list

Exit codes: 0 done, 1 not trusted, or an error.
`;

/** `heddle trust …`; resolves with the exit code. */
export async function runTrust(argv: readonly string[]): Promise<number> {
  const own = { '--yes': 'switch', '--list': 'switch', '--remove': 'switch', '--json': 'switch' } as const;
  const args = parseCommandArgs(argv, { command: 'heddle trust', own, run: [] });
  if (!args) {
    printHelp(TRUST_HELP);
    return 0;
  }
  const [directory] = takeWords(args.words, ['directory'], 0);
  if (args.has('--list')) return list(args.has('--json'));
  if (args.has('--remove')) return remove(directory ?? '.');
  return trust(directory ?? '.', args.has('--yes'));
}

function list(asJson: boolean): number {
  const directories = listTrust(configHome(process.env));
  const rows = directories.map(({ directory, trust: state, since, exists }) => [
    exists ? state : 'gone',
    since ?? '',
    printable(directory),
  ]);
  if (asJson) printJson(directories);
  else printLines(columns(rows, terminalOf(process.stdout, process.env)));
  if (rows.length === 0 && !asJson) printRemark('no directory is trusted (heddle trust DIR trusts one)');
  return 0;
}

async function remove(directory: string): Promise<number> {
  const path = lastingPath(directory);
  if (await distrustDirectory(path, configHome(process.env))) {
    process.stdout.write(`${printable(path)} is no longer trusted.\n`);
    return 0;
  }
  printRemark(`${printable(path)} was not trusted`);
  return 1;
}

async function trust(directory: string, yes: boolean): Promise<number> {
  const { cwd, configHome: home } = commandLocation(directory);
  const view = viewTrust(cwd, home);
  process.stdout.write(`${viewText(view)}\n`);
  if (view.files.length === 0 || view.trust === 'trusted') return 0;
  if (!yes && !(await isAgreed())) return 1;
  await trustDirectory(view, home);
  process.stdout.write('It is trusted now, until one of these files changes.\n');
  return 0;
}

function viewText({ directory, trust: state, files }: TrustView): string {
  const name = printable(directory);
  if (files.length === 0) return `There are no settings in ${name} that would need trust.`;
  const lines = files.flatMap(({ file, needsTrust, never }) => [
    `${file}:`,
    ...columns(
      needsTrust.map(({ key, value }) => [`  ${printable(key)}`, shownValue(value)]),
      terminalOf(process.stdout, process.env),
    ),
    ...(needsTrust.length === 0 ? ['  nothing that needs trust'] : []),
    ...(never.length > 0 ? [`  never from a project: ${printable(never.join(', '))}`] : []),
  ]);
  return [`${name} ${STATES[state]}`, ...lines].join('\n');
}

const STATES: Record<TrustView['trust'], string> = {
  untrusted: 'is not trusted. With trust this would act:',
  changed: 'has changed since it was trusted. With trust this would act:',
  trusted: 'is trusted. This acts:',
};

/** Without a person to ask, trust is never given. */
async function isAgreed(): Promise<boolean> {
  if (canAsk(process.stdout)) return confirms('Trust it as it is now?', process.stdout);
  printRemark('there is no terminal to ask on; --yes trusts it');
  return false;
}
