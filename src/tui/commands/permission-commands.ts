import { nearestWord } from '../../util/text/nearest.ts';
import { MODES, openModePicker, setMode } from '../pickers/mode-picker.ts';
import { RulesPicker } from '../pickers/rules-picker.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** What the agent may do. */
export const PERMISSION_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'mode',
    argumentHint: '[name]',
    description: 'Choose the permission mode (shift+tab: the next)',
    run: mode,
    values: async () => MODES.map(({ name: value, what: detail }) => ({ value, detail })),
  },
  {
    name: 'permissions',
    description: 'The permission rules: see, add, remove, try a call',
    async run(_argument, stage) {
      await new RulesPicker(stage).open();
      return [];
    },
  },
];

async function mode(argument: string, stage: Stage): Promise<string[]> {
  if (argument === '') {
    await openModePicker(stage);
    return [];
  }
  const names = MODES.map(({ name }) => name);
  const wanted = names.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (wanted) return [await setMode(stage, wanted)];
  const near = nearestWord(argument, names);
  return [`There is no mode ${argument}.${near ? ` Did you mean ${near}?` : ''} ${names.join(', ')}`];
}
