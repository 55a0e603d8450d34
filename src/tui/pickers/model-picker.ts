import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { EFFORT_LEVELS } from '../../wire/effort-levels.ts';
import type { Row } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import { printOutcome } from './ask-choice.ts';
import { belowRow, ListPicker } from './list-picker.ts';

export interface ListedModel {
  readonly value: string;
  readonly description: string;
  /** The model that the name means here; null: none that can answer. */
  readonly id: string | null;
  /** From least to most; empty: its effort cannot be chosen. */
  readonly efforts: readonly string[];
}

const HINT = 'enter chooses \u00b7 \u2190\u2192 effort \u00b7 ctrl+s also keeps it for new sessions \u00b7 esc';
const WIDEST = 14;

export async function listedModels(stage: Stage): Promise<ListedModel[]> {
  const { models } = await stage.call({ subtype: 'list_models' });
  return Array.isArray(models) ? models.filter(isObject).map(toListed) : [];
}

function toListed(model: JsonObject): ListedModel {
  const known = Array.isArray(model.supportedEffortLevels) ? model.supportedEffortLevels.map(String) : EFFORT_LEVELS;
  return {
    value: stringField(model, 'value') ?? '',
    description: stringField(model, 'description') ?? '',
    id: stringField(model, 'resolvedModel') ?? null,
    efforts: model.supportsEffort === false ? [] : known,
  };
}

export async function setModel(stage: Stage, name: string): Promise<string> {
  const answer = await stage.call({ subtype: 'set_model', model: name });
  return `The next answer comes from ${stringField(answer, 'model') ?? name}.`;
}

/** Null: back to that of the launch. */
export async function setEffort(stage: Stage, level: string | null): Promise<string> {
  await stage.call({ subtype: 'apply_flag_settings', settings: { effortLevel: level } });
  return `The effort is ${level ?? 'that of the launch'} from the next turn on.`;
}

/** What the session uses now, by its own word. */
export async function modelInUse(stage: Stage): Promise<{ model: string; effort: string | null }> {
  const { applied } = await stage.call({ subtype: 'get_settings' });
  const { model, effort } = isObject(applied) ? applied : {};
  return {
    model: typeof model === 'string' ? model : stage.tracker.view.info.model,
    effort: typeof effort === 'string' ? effort : null,
  };
}

/** The models to choose from, with the effort. Nothing changes before Enter. */
export async function openModelPicker(stage: Stage): Promise<void> {
  const [models, used] = await Promise.all([listedModels(stage), modelInUse(stage)]);
  const current = models.find(({ value }) => value === used.model) ?? models.find(({ id }) => id === used.model);
  let effort = used.effort;

  const choose = async ({ value, efforts }: ListedModel, isKept: boolean): Promise<string> => {
    const isOther = effort !== used.effort && efforts.length > 0;
    const said = [await setModel(stage, value), ...(isOther ? [await setEffort(stage, effort)] : [])];
    if (!isKept) return said.join(' ');
    const settings = { model: value === 'default' ? null : value, ...(isOther && { effortLevel: effort }) };
    await stage.call({ subtype: 'update_settings', source: 'userSettings', settings });
    return [...said, 'It is kept in settings.json of the config home.'].join(' ');
  };
  const take = (item: ListedModel, isKept: boolean) => {
    stage.stopPicking();
    printOutcome(stage, choose(item, isKept));
  };
  const below = (item: ListedModel | null): Row[] => {
    if (!item) return [];
    const id = item.id ?? 'no model here has this name';
    const is = item.efforts.length === 0 ? 'this model has none' : (effort ?? 'that of the model');
    return [belowRow(`${id} \u00b7 effort: ${is}`, stage.context)];
  };
  const picker = new ListPicker<ListedModel>(
    {
      ...{ context: 'ModelPicker', hint: HINT, empty: 'no model has such a name', screen: () => stage.context, below },
      title: () => 'Model',
      spans: (item) => [
        { text: `${item === current ? '\u25cf' : ' '} ${item.value.padEnd(WIDEST)} ` },
        { text: item.description, styles: ['dim'] },
      ],
      words: ({ value, description, id }) => `${value} ${description} ${id ?? ''}`,
      choose: (item) => take(item, false),
      key(key, item) {
        if (key !== 'ctrl+s' || !item) return false;
        take(item, true);
        return true;
      },
      act(action, item) {
        const by = { 'modelPicker:increaseEffort': 1, 'modelPicker:decreaseEffort': -1 }[action];
        if (by === undefined) return false;
        effort = nextEffort(effort, by, item?.efforts ?? []);
        return true;
      },
    },
    models,
  );
  if (current) picker.use(models, current);
  stage.pick(picker);
}

/** One level up or down; below the least is null, the model's own. */
function nextEffort(effort: string | null, by: number, levels: readonly string[]): string | null {
  if (levels.length === 0) return effort;
  const at = effort === null ? -1 : levels.indexOf(effort);
  return levels[Math.min(levels.length - 1, at + by)] ?? null;
}
