import { askAside } from '../agent/aside.ts';
import { budgetExhausted } from '../agent/limits.ts';
import { ToolError } from '../tools/tool.ts';
import type { ModelQuestion } from '../tools/tool-session.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Chosen } from './models.ts';
import type { Parts } from './parts.ts';

/** Enough for an answer about a page. */
const MAX_ANSWER_TOKENS = 4096;

/** Asks a model something beside the conversation, on behalf of a tool. Rejects with a ToolError when that fails. */
export async function askModel(
  parts: Parts,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<readonly ContentBlock[]> {
  if (budgetExhausted(parts.limits, parts.ledger.spentUsd)) throw new ToolError('The budget of this run is used up.');
  const chosen = await chosenFor(parts, question.model);
  const { serverTools } = question;
  if (serverTools && chosen.model.provider !== 'anthropic') {
    throw new ToolError(`${chosen.id} is not from a provider that runs this tool itself.`);
  }
  const request = {
    model: chosen.id,
    system: question.system === undefined ? [] : [question.system],
    tools: [],
    ...(serverTools && { serverTools }),
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question.prompt }] }],
    maxOutputTokens: Math.min(question.maxOutputTokens ?? MAX_ANSWER_TOKENS, chosen.maxOutputTokens),
    userId: parts.userId,
  };
  const answer = await askAside(parts, chosen.model, request, signal);
  if (answer.failure) throw new ToolError(`The model could not be asked: ${answer.failure.message}`);
  return answer.blocks;
}

async function chosenFor(parts: Parts, model: ModelQuestion['model']): Promise<Chosen> {
  if (model === 'main') return parts.chosen;
  return model === 'small' ? smallModel(parts) : parts.chooseModel(model.named);
}

/** Only Anthropic's names have a small sibling that is sure to exist; any other model is asked itself. */
async function smallModel(parts: Parts): Promise<Chosen> {
  return parts.chosen.model.provider === 'anthropic' ? parts.chooseModel('haiku') : parts.chosen;
}
