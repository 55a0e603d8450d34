import { systemBlocks } from '../agent/prompt.ts';
import type { RequestSettings } from '../agent/turn.ts';
import type { Parts } from './assemble.ts';

/** Room for the answer beside the thinking, which the API counts within `max_tokens`. */
const ANSWER_ROOM = 4096;

/** What every model call of a turn shares, from the settings in force when the turn begins. */
export function requestSettings(parts: Parts): RequestSettings {
  const { settings, chosen } = parts;
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
    ...(thinking > 0 ? { thinking: { type: 'enabled' as const, budget_tokens: thinking } } : {}),
    ...(parts.effort ? { effort: parts.effort } : {}),
    ...(betas.length > 0 ? { betas } : {}),
    userId: parts.userId,
  };
}
