import { isObject, stringField } from '../../util/json.ts';
import { chooseTheme, lookOf, openThemePicker } from '../pickers/theme-picker.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** What the terminal looks like. */
export const LOOK_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'statusline',
    argumentHint: '[what it should show]',
    description: 'Your own status line; with words, the model writes a script for it',
    run: statusLine,
  },
  {
    name: 'theme',
    argumentHint: '[name]',
    description: 'Choose the colours of the terminal',
    async run(name, stage) {
      if (name !== '') return [await chooseTheme(stage, name)];
      openThemePicker(stage);
      return [];
    },
    values: async (stage) => lookOf(stage).themes.map(({ name, what }) => ({ value: name, detail: what })),
  },
];

async function statusLine(wish: string, stage: Stage): Promise<readonly string[]> {
  if (wish !== '') {
    stage.submit(`${REQUEST}\n\nWhat it should show: ${wish}`);
    return [];
  }
  const { effective, provenance } = await stage.call({ subtype: 'get_settings' });
  const setting = isObject(effective) && isObject(effective.statusLine) ? effective.statusLine : {};
  const command = stringField(setting, 'command');
  if (command === undefined) return HOW_TO;
  const origins = Array.isArray(provenance) ? provenance.filter(isObject) : [];
  const source = stringField(
    origins.find(({ key }) => key === 'statusLine.command'),
    'source',
  );
  return [`  command    ${command}`, ...(source === undefined ? [] : [`  set in     ${source}`]), ...stateLines(stage)];
}

function stateLines({ look }: Stage): string[] {
  if (!look.loaded) return [];
  const { isConfigured, problem, tookMs } = look.loaded.statusLine;
  const took = tookMs === null ? [] : [`  last run   ${Math.round(tookMs)} ms`];
  if (problem !== null) return [...took, `  shows      nothing: ${problem}`];
  if (isConfigured === false) return ['  shows      nothing: disableAllHooks turns it off'];
  return took;
}

const HOW_TO = [
  'There is no status line of your own. A command that prints one is set with',
  '  heddle config set statusLine \'{"type":"command","command":"~/.heddle/statusline.sh"}\'',
  'It reads JSON about the session from its stdin. /statusline with words lets the model write one.',
];

/** The fields are those of docs/terminal.md. */
const REQUEST = `Write a status line script for the terminal of Heddle, and set it.

The script is a command that reads one JSON object from its stdin and prints one to three lines, at most a second later. \
Fields: session_id, session_name, transcript_path, cwd, model.id, model.display_name, workspace.current_dir, \
workspace.project_dir, version, output_style.name, cost.total_cost_usd, cost.total_duration_ms, \
cost.total_lines_added, cost.total_lines_removed, context_window.used_percentage, context_window.context_window_size, \
context_window.current_usage, effort.level, thinking.enabled, heddle.mode, heddle.tasks, heddle.queue. Any of them may be missing or null. \
SGR colours are shown. COLUMNS is the width of the window.

Put the script into the config home (HEDDLE_HOME, else ~/.heddle) as statusline.sh or statusline.py, make it executable, try it \
with an example of the JSON, then set statusLine in settings.json of the config home: \
{"statusLine": {"type": "command", "command": "PATH"}}.`;
