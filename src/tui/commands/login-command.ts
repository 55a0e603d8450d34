import { messageOf } from '../../util/message-of.ts';
import { askChoice, printOutcome } from '../pickers/ask-choice.ts';
import { modelInUse, openModelPicker, setModel } from '../pickers/model-picker.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** Asked by itself where a session opens with a model that cannot be asked. */
export const LOGIN_COMMAND: TerminalCommand = {
  name: 'login',
  description: 'Store a key for the model, or choose a model that needs none',
  run(_argument, stage) {
    const { signIn } = stage.place;
    const { modelProblem } = stage.tracker.view.info;
    const [why = ''] = (modelProblem ?? '').split(/\n|:? ?set ANTHROPIC/);
    askChoice(stage, why === '' ? 'Which key shall the model use?' : why.replace(/[:.]?$/, '.'), [
      ...(signIn
        ? [{ text: 'Store a key for Anthropic\u2019s API', run: () => printOutcome(stage, login(stage, signIn)) }]
        : []),
      {
        text: 'Use the offline model',
        detail: 'built in, follows plain instructions',
        run: () => printOutcome(stage, setModel(stage, 'offline')),
      },
      {
        text: 'Choose another model',
        run: () => void openModelPicker(stage).catch((error) => stage.notify(messageOf(error))),
      },
      { text: 'Go on as it is', run: () => {} },
    ]);
    return [];
  },
};

/** The model is chosen again: it takes the key that is stored now. */
async function login(stage: Stage, signIn: () => Promise<void>): Promise<string> {
  await stage.lend(signIn);
  const { model } = await modelInUse(stage);
  return setModel(stage, model);
}
