import { isObject, stringField } from '../../util/json.ts';
import type { Stage } from '../stage/stage.ts';
import { printOutcome } from './ask-choice.ts';
import { ListPicker } from './list-picker.ts';

/** The modes that a person can choose, and what each does with calls. */
export const MODES = [
  { name: 'default', what: 'asks before calls that no rule allows' },
  { name: 'acceptEdits', what: 'changes files of the project without asking' },
  { name: 'plan', what: 'reads and plans, and changes nothing' },
  { name: 'dontAsk', what: 'denies what it would have to ask for' },
  { name: 'bypassPermissions', what: 'asks for nothing; deny rules hold' },
] as const;

const WIDEST = 18;

export async function setMode(stage: Stage, mode: string): Promise<string> {
  const answer = await stage.call({ subtype: 'set_permission_mode', mode });
  const permissionMode = stringField(answer, 'mode') ?? mode;
  // Before the first prompt the session tells its mode only in this answer.
  stage.take(stage.tracker.note({ type: 'system', subtype: 'status', permissionMode }, stage.now()));
  return `The mode is ${permissionMode}.`;
}

export async function openModePicker(stage: Stage): Promise<void> {
  const { applied } = await stage.call({ subtype: 'get_settings' });
  const now = isObject(applied) ? stringField(applied, 'permissionMode') : stage.tracker.view.info.mode;
  const picker = new ListPicker<(typeof MODES)[number]>(
    {
      ...{ hint: 'enter chooses \u00b7 esc', empty: 'there is no such mode', screen: () => stage.context },
      title: () => 'Permission mode',
      spans: ({ name, what }) => [
        { text: `${name === now ? '\u25cf' : ' '} ${name.padEnd(WIDEST)}` },
        { text: what, styles: ['dim'] },
      ],
      words: ({ name, what }) => `${name} ${what}`,
      choose({ name }) {
        stage.stopPicking();
        printOutcome(stage, setMode(stage, name));
      },
    },
    MODES,
  );
  const current = MODES.find(({ name }) => name === now);
  if (current) picker.use(MODES, current);
  stage.pick(picker);
}
