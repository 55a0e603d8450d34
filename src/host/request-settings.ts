import { systemBlocks } from '../agent/prompt.ts';
import type { RequestSettings } from '../agent/turn.ts';
import { effortFor, pacesItsThinking } from '../model/capabilities.ts';
import type { Thinking } from '../model/model.ts';
import type { Chosen } from './models.ts';
import type { Parts } from './parts.ts';
import type { SessionSettings } from './session-settings.ts';

/** Room for the answer beside the thinking, which the API counts within `max_tokens`. */
const ANSWER_ROOM = 4096;
/** The API refuses smaller budgets. */
const LEAST_BUDGET = 1024;

const PROMPT_NOT_USED =
  'The system prompt that was given is not used: the agent of --agent has its own. An appended one is added to it';

/** What every model call of a turn shares, from the settings in force when the turn begins. */
export function requestSettings(parts: Parts, chosen: Chosen): RequestSettings {
  const { settings, mainAgent } = parts;
  if (mainAgent && settings.systemPrompt?.length) parts.warnOnce(PROMPT_NOT_USED);
  const replace = mainAgent?.prompt ?? settings.systemPrompt;
  const output = outputLimits(parts, chosen);
  const betas = [...new Set([...chosen.betas, ...parts.betas])];
  return {
    model: chosen.id,
    system: systemBlocks({
      ...(replace === undefined ? {} : { replace }),
      ...(settings.appendSystemPrompt === undefined ? {} : { append: settings.appendSystemPrompt }),
      ...(parts.extensions.style && { style: parts.extensions.style }),
    }),
    ...(!mainAgent && settings.sharedBlocks !== undefined && { sharedBlocks: settings.sharedBlocks }),
    tools: parts.tools.apiTools(),
    maxOutputTokens: output.maxTokens,
    ...thinkingSetting(settings, chosen, output.thinking),
    ...effortSetting(parts, chosen),
    ...(betas.length > 0 ? { betas } : {}),
    userId: parts.userId,
  };
}

/** The effort in force for a model; undefined: none is sent. What is not sent as it was asked for is said. */
export function effortOf(parts: Pick<Parts, 'effort' | 'warnOnce'>, { id }: Pick<Chosen, 'id'>): string | undefined {
  const { effort } = parts;
  if (!effort) return undefined;
  const sent = effortFor(id, effort);
  if (sent !== effort) {
    const outcome = sent === null ? 'it takes none, and gets none' : `it gets ${sent}`;
    parts.warnOnce(`The effort ${effort} is none of the levels of ${id}: ${outcome}`);
  }
  return sent ?? undefined;
}

function effortSetting(parts: Parts, chosen: Chosen): { effort?: string } {
  const effort = effortOf(parts, chosen);
  return effort === undefined ? {} : { effort };
}

/**
 * The API counts thinking within `max_tokens`: a budget makes that larger, but never larger than the user or the model
 * allows. Where both do not fit, the thinking is made shorter, which is said.
 */
function outputLimits(parts: Parts, chosen: Chosen): { maxTokens: number; thinking: number } {
  const wanted = parts.settings.maxThinkingTokens ?? 0;
  if (chosen.recordedMaxTokens !== undefined) return { maxTokens: chosen.recordedMaxTokens, thinking: wanted };
  const limit = parts.maxOutputTokens ?? chosen.maxOutputTokens;
  const usual = Math.min(limit, parts.maxOutputTokens ?? 32_000);
  if (wanted === 0) return { maxTokens: usual, thinking: 0 };
  const maxTokens = Math.min(limit, Math.max(usual, wanted + ANSWER_ROOM));
  const room = maxTokens - Math.min(ANSWER_ROOM, Math.floor(maxTokens / 2));
  if (wanted <= room) return { maxTokens, thinking: wanted };
  const thinking = room < LEAST_BUDGET ? 0 : room;
  const outcome = thinking === 0 ? 'the model does not think' : `it thinks with ${thinking}`;
  parts.warnOnce(`Thinking with ${wanted} tokens does not fit into answers of ${maxTokens} tokens: ${outcome}`);
  return { maxTokens, thinking };
}

/** Models that pace their thinking themselves get no budget; others think only when they have one (ruling K9). */
function thinkingSetting(settings: SessionSettings, { id }: Chosen, budget: number): { thinking?: Thinking } {
  const wanted = (settings.maxThinkingTokens ?? 0) > 0 || settings.adaptiveThinking === true;
  const shown = settings.thinkingDisplay && { display: settings.thinkingDisplay };
  if (wanted && pacesItsThinking(id)) return { thinking: { type: 'adaptive', ...shown } };
  return budget > 0 ? { thinking: { type: 'enabled', budget_tokens: budget, ...shown } } : {};
}
