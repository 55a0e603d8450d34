import { nearestWord } from '../../util/text/nearest.ts';
import { EFFORT_LEVELS } from '../../wire/effort-levels.ts';
import { askChoice, printOutcome } from '../pickers/ask-choice.ts';
import { listedModels, modelInUse, openModelPicker, setEffort, setModel } from '../pickers/model-picker.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** The word for the effort of the launch. */
const LAUNCH = 'default';

/** Which model answers, and how much it thinks. */
export const MODEL_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'model',
    argumentHint: '[name]',
    description: 'Choose the model (alt+p)',
    async run(name, stage) {
      if (name !== '') return [await setModel(stage, name)];
      await openModelPicker(stage);
      return [];
    },
    values: async (stage) => (await listedModels(stage)).map(({ value, description: detail }) => ({ value, detail })),
  },
  {
    name: 'effort',
    argumentHint: '[level]',
    description: 'Choose how much work the model puts into an answer',
    run: effort,
    values: async () => [...EFFORT_LEVELS, LAUNCH].map((value) => ({ value })),
  },
];

async function effort(level: string, stage: Stage): Promise<string[]> {
  if (level !== '') return [await setEffort(stage, levelOf(level))];
  const used = await modelInUse(stage);
  const now = used.effort ?? 'that of the model';
  askChoice(stage, `The effort is ${now}`, [
    { text: 'Leave it', run: () => {} },
    ...EFFORT_LEVELS.map((each) => ({ text: each, run: () => printOutcome(stage, setEffort(stage, each)) })),
    { text: LAUNCH, detail: 'that of the launch', run: () => printOutcome(stage, setEffort(stage, null)) },
  ]);
  return [];
}

function levelOf(text: string): string | null {
  const level = text.toLowerCase();
  if (level === LAUNCH) return null;
  const levels: readonly string[] = EFFORT_LEVELS;
  if (levels.includes(level)) return level;
  const near = nearestWord(level, [...levels, LAUNCH]);
  throw new Error(
    `there is no level ${text}.${near ? ` Did you mean ${near}?` : ''} ${[...levels, LAUNCH].join(', ')}`,
  );
}
