import { homedir } from 'node:os';
import {
  changeSetting,
  FILE_SCOPES,
  getSetting,
  listSettings,
  maskedSetting,
  meantSetting,
  type SettingsOverview,
} from '../../admin/settings.ts';
import { tryParseJson } from '../../util/json.ts';
import { displayWidth } from '../../util/text/display-width.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { usage } from '../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { columns, shortPath, shownValue } from '../terminal/show-value.ts';
import { printHelp, printLines, printRemark, type Terminal, terminalOf } from '../terminal/terminal.ts';
import { unknownCommand } from './choose-command.ts';
import { commandLocation } from './command-location.ts';
import { runConfigHome } from './config-home.ts';

export const CONFIG_HELP = `Usage: heddle config list [--json]
       heddle config get KEY [--json]
       heddle config set [--scope user|project|local] [--force] KEY VALUE
       heddle config unset [--scope user|project|local] KEY
       heddle config home [DIR | --reset] [--json]

Shows and changes settings. KEY is dotted: permissions.defaultMode, env.NAME,
modelLimits."openai/gpt-4.1".contextWindow.

  list    every setting in force with the file or flag it stands in, lists item by item, and what
          of the project's settings is ignored and why; values of credentials are masked
  get     the value in force; a text as it is, anything else as JSON
  set     into the file of the scope (default user); VALUE is JSON if it reads as such, else text:
          '"5"' is a text. A KEY that has no effect in this version is refused, unless --force
  unset   out of that file
  home    which config home is used where neither HEDDLE_HOME nor CLAUDE_CONFIG_DIR says so:
          sessions, settings and keys are in it. With DIR: from now on that one, such as ~/.claude
          of the reference; nothing is moved. --reset: ~/.heddle again

Of a run, for list and get: --settings, --setting-sources, --managed-settings, --trust.

A VALUE that begins with a dash needs -- before it.

Examples:
  heddle config list
  heddle config set model haiku
  heddle config set --scope project permissions.deny '["Read(.env)"]'
  heddle config home ~/.claude

Exit codes: 0 done, 1 an error, or nothing is set there.
`;

/** `heddle config …`; resolves with the exit code. */
export async function runConfig(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle config',
    own: { '--json': 'switch', '--scope': 'text', '--force': 'switch', '--reset': 'switch' },
    run: ['--settings', '--setting-sources', '--managed-settings', '--trust'],
  });
  const [action, ...words] = args?.words ?? [];
  if (!args || action === undefined) {
    printHelp(CONFIG_HELP);
    return 0;
  }
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (!act) throw unknownCommand('config', action, Object.keys(ACTIONS));
  return act(words, args);
}

type Action = (words: readonly string[], args: CommandArgs) => Promise<number>;

const ACTIONS: Record<string, Action> = {
  async list(words, { config, has }) {
    takeWords(words, []);
    const overview = await listSettings(config, commandLocation());
    printLines([has('--json') ? JSON.stringify(overview, null, 2) : overviewText(overview)]);
    for (const fault of overview.faults) printRemark(printable(fault));
    return 0;
  },

  async get(words, { config, has }) {
    const [key = ''] = takeWords(words, ['KEY']);
    const value = await getSetting(key, config, commandLocation());
    if (value === undefined) return fail(`${key} is not set${meantSetting(key)}`);
    printLines([typeof value === 'string' && !has('--json') ? value : JSON.stringify(value, null, 2)]);
    return 0;
  },

  async set(words, args) {
    const [key = '', text = ''] = takeWords(words, ['KEY', 'VALUE']);
    const json = tryParseJson(text);
    const value = json === undefined ? text : json;
    const { file, notes } = await changeSetting(
      { key, value, scope: scopeOf(args), force: args.has('--force') },
      commandLocation(),
    );
    printLines([`${key} = ${shownValue(maskedSetting(key, value))} in ${printable(file)}`]);
    for (const note of notes) printRemark(printable(note));
    return 0;
  },

  async unset(words, args) {
    const [key = ''] = takeWords(words, ['KEY']);
    const { file, isChanged } = await changeSetting({ key, value: undefined, scope: scopeOf(args) }, commandLocation());
    if (!isChanged) return fail(`${key} is not set in ${file}`);
    printLines([`${key} is no longer set in ${printable(file)}`]);
    return 0;
  },

  async home(words, args) {
    return runConfigHome(words, args);
  },
};

function scopeOf({ text }: CommandArgs) {
  const name = text('--scope') ?? 'user';
  const scope = Object.hasOwn(FILE_SCOPES, name) ? FILE_SCOPES[name] : undefined;
  if (scope) return scope;
  throw usage(`option '--scope' argument '${name}' is invalid. Allowed choices are user, project, local.`);
}

function overviewText({ settings, ignored, files, trust }: SettingsOverview): string {
  const terminal = terminalOf(process.stdout, process.env);
  const home = terminal.isTerminal ? homedir() : '';
  const rows = settings.map(({ key, value, scope, source, hasEffect }) => ({
    key: printable(key),
    value: shownValue(value),
    scope: hasEffect ? scope : `${scope}, no effect in this version`,
    source: printable(shortPath(source, home)),
  }));
  const looked = files.map(
    ({ scope, path, exists }) => `  ${scope}: ${printable(shortPath(path, home))}${exists ? '' : ' (not there)'}`,
  );
  const left = ignored.flatMap(({ file, keys, reason }) =>
    wrapText(`${printable(shortPath(file, home))}: ${printable(keys.join(', '))} (${reason})`, terminal.room, {
      lead: '  ',
      hang: 4,
    }),
  );
  return [
    ...(rows.length > 0 ? settingLines(rows, terminal) : ['Nothing is set. These files are looked at:', ...looked]),
    ...(left.length > 0 ? ['', 'Ignored:', ...left] : []),
    ...(left.length > 0 && trust !== 'trusted' ? ['`heddle trust` shows what would act, and lets it.'] : []),
  ].join('\n');
}

interface SettingRow {
  key: string;
  value: string;
  scope: string;
  source: string;
}

/** In columns where they fit; on a narrower terminal, the file of a setting is on a separate line. */
function settingLines(rows: readonly SettingRow[], { room }: Terminal): string[] {
  const endless = { room: Number.POSITIVE_INFINITY };
  const lines = columns(
    rows.map(({ key, value, scope, source }) => [key, value, scope, source]),
    endless,
  );
  if (lines.every((line) => displayWidth(line) <= room)) return lines;
  const keyWidth = Math.min(MAX_KEY_WIDTH, Math.max(...rows.map(({ key }) => key.length)));
  return rows.flatMap(({ key, value, scope, source }) => [
    ...wrapText(value, room, { lead: `${key.padEnd(keyWidth)}  `, hang: 4 }),
    ...wrapText(`${scope}: ${source}`, room, { lead: '    ' }),
  ]);
}

const MAX_KEY_WIDTH = 30;

function fail(text: string): number {
  printRemark(printable(text));
  return 1;
}
