import { systemBlocks } from '../agent/prompt.ts';
import type { RequestSettings } from '../agent/turn.ts';
import { pacesItsThinking } from '../model/capabilities.ts';
import type { Thinking } from '../model/model.ts';
import type { Parts } from './assemble.ts';
import type { Chosen } from './models.ts';

/** Room for the answer beside the thinking, which the API counts within `max_tokens`. */
const ANSWER_ROOM = 4096;

/** What every model call of a turn shares, from the settings in force when the turn begins. */
export function requestSettings(parts: Parts, chosen: Chosen): RequestSettings {
  const { settings } = parts;
  const thinking = settings.maxThinkingTokens ?? 0;
  const maxOutput = parts.maxOutputTokens ?? Math.min(chosen.maxOutputTokens, 32_000);
  const betas = [...new Set([...chosen.betas, ...parts.betas])];
  return {
    model: chosen.id,
    system: systemBlocks({
      ...(settings.systemPrompt === undefined ? {} : { replace: settings.systemPrompt }),
      ...(settings.appendSystemPrompt === undefined ? {} : { append: settings.appendSystemPrompt }),
    }),
    tools: parts.tools.apiTools(),
    maxOutputTokens: Math.max(maxOutput, thinking > 0 ? thinking + ANSWER_ROOM : 0),
    ...thinkingSetting(parts, chosen),
    ...(parts.effort ? { effort: parts.effort } : {}),
    ...(betas.length > 0 ? { betas } : {}),
    userId: parts.userId,
  };
}

/** Models that pace their thinking themselves get no budget; others think only when they have one (ruling K9). */
function thinkingSetting({ settings }: Parts, { id }: Chosen): { thinking?: Thinking } {
  const tokens = settings.maxThinkingTokens ?? 0;
  const wanted = tokens > 0 || settings.adaptiveThinking === true;
  if (wanted && pacesItsThinking(id)) return { thinking: { type: 'adaptive' } };
  return tokens > 0 ? { thinking: { type: 'enabled', budget_tokens: tokens } } : {};
}
