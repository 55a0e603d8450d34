import { systemBlocks } from '../../agent/messages/system-prompt.ts';
import type { RequestSettings } from '../../agent/turn.ts';
import type { OutputStyle } from '../../config/extensions/output-styles.ts';
import { effortFor, pacesItsThinking } from '../../model/capabilities.ts';
import type { Thinking } from '../../model/model.ts';
import type { Registry } from '../../tools/registry.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { ModelSettings, SessionSettings } from './model-settings.ts';

/** Room for the answer in addition to the thinking, which the API counts within `max_tokens`. */
const ANSWER_ROOM = 4096;
/** The API refuses smaller budgets. */
const LEAST_BUDGET = 1024;

const PROMPT_NOT_USED =
  'The system prompt that was given is not used: the agent of --agent has its own. An appended one is added to it';

/** The thread whose model is asked. */
export interface RequestingThread {
  model: ModelSettings;
  /** The role of the main thread; null: it has none. */
  role: { prompt: string } | null;
  /** The output style in force; null: the default. */
  style: OutputStyle | null;
  tools: Pick<Registry, 'apiTools'>;
  warnOnce(text: string): void;
}

/** The settings that all model calls of a turn share, read when the turn begins. */
export function requestSettings(asking: RequestingThread, selected: SelectedModel): RequestSettings {
  const { model, role, style, tools, warnOnce } = asking;
  const { settings } = model;
  if (role && settings.systemPrompt?.length) warnOnce(PROMPT_NOT_USED);
  const replace = role?.prompt ?? settings.systemPrompt;
  const output = outputLimits(asking, selected);
  const betas = [...new Set([...selected.betas, ...model.betas])];
  return {
    model: selected.id,
    system: systemBlocks({
      ...(replace === undefined ? {} : { replace }),
      ...(settings.appendSystemPrompt === undefined ? {} : { append: settings.appendSystemPrompt }),
      ...(style && { style }),
    }),
    ...(!role && settings.sharedBlocks !== undefined && { sharedBlocks: settings.sharedBlocks }),
    tools: tools.apiTools(),
    maxOutputTokens: output.maxTokens,
    ...thinkingSetting(settings, selected, output.thinking),
    ...effortSetting(asking, selected),
    ...(betas.length > 0 ? { betas } : {}),
    userId: model.userId,
  };
}

/** The effort for a model; undefined: none is sent. Warns when it differs from the effort that was asked for. */
export function effortOf(
  { effort, warnOnce }: { effort: string | undefined; warnOnce(text: string): void },
  { id }: Pick<SelectedModel, 'id'>,
): string | undefined {
  if (!effort) return undefined;
  const sent = effortFor(id, effort);
  if (sent !== effort) {
    const outcome = sent === null ? 'it takes none, and gets none' : `it gets ${sent}`;
    warnOnce(`The effort ${effort} is none of the levels of ${id}: ${outcome}`);
  }
  return sent ?? undefined;
}

function effortSetting({ model, warnOnce }: RequestingThread, selected: SelectedModel): { effort?: string } {
  const effort = effortOf({ effort: model.effort, warnOnce }, selected);
  return effort === undefined ? {} : { effort };
}

/**
 * The API counts thinking within `max_tokens`: a budget raises it, but never above the limit of the user or the model.
 * When both do not fit, the thinking is shortened, with a warning.
 */
function outputLimits(
  { model, warnOnce }: RequestingThread,
  selected: SelectedModel,
): { maxTokens: number; thinking: number } {
  const wanted = model.settings.maxThinkingTokens ?? 0;
  if (selected.recordedMaxTokens !== undefined) return { maxTokens: selected.recordedMaxTokens, thinking: wanted };
  const limit = model.maxOutputTokens ?? selected.maxOutputTokens;
  const usual = Math.min(limit, model.maxOutputTokens ?? 32_000);
  if (wanted === 0) return { maxTokens: usual, thinking: 0 };
  const maxTokens = Math.min(limit, Math.max(usual, wanted + ANSWER_ROOM));
  const room = maxTokens - Math.min(ANSWER_ROOM, Math.floor(maxTokens / 2));
  if (wanted <= room) return { maxTokens, thinking: wanted };
  const thinking = room < LEAST_BUDGET ? 0 : room;
  const outcome = thinking === 0 ? 'the model does not think' : `it thinks with ${thinking}`;
  warnOnce(`Thinking with ${wanted} tokens does not fit into answers of ${maxTokens} tokens: ${outcome}`);
  return { maxTokens, thinking };
}

/** Whether a model that can think is asked to. */
export function isThinkingWanted({ maxThinkingTokens, adaptiveThinking }: SessionSettings): boolean {
  return (maxThinkingTokens ?? 0) > 0 || adaptiveThinking === true;
}

/** A model that paces its thinking itself gets no budget; any other model thinks only with a budget. */
function thinkingSetting(settings: SessionSettings, { id }: SelectedModel, budget: number): { thinking?: Thinking } {
  const wanted = isThinkingWanted(settings);
  const shown = settings.thinkingDisplay && { display: settings.thinkingDisplay };
  if (wanted && pacesItsThinking(id)) return { thinking: { type: 'adaptive', ...shown } };
  return budget > 0 ? { thinking: { type: 'enabled', budget_tokens: budget, ...shown } } : {};
}
