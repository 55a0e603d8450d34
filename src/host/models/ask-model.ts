import { budgetExhausted } from '../../agent/limits.ts';
import { askSideQuestion, type Payer } from '../../agent/side-question.ts';
import type { ModelQuestion } from '../../tools/model-question.ts';
import { ToolError } from '../../tools/tool.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { ModelSettings } from './model-settings.ts';

/** Enough for an answer about a page. */
const MAX_ANSWER_TOKENS = 4096;

/** The thread whose model is asked, and which pays for the answer. */
export interface AskingThread extends Payer {
  readonly model: Pick<ModelSettings, 'selected' | 'userId'>;
  readonly models: { select(name: string): Promise<SelectedModel> };
}

/** Asks a model a question outside of the conversation, for a tool. Rejects with a ToolError when that fails. */
export async function askModel(
  asking: AskingThread,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<readonly ContentBlock[]> {
  if (budgetExhausted(asking.limits, asking.ledger.spentUsd)) throw new ToolError('The budget of this run is used up.');
  const selected = await selectedFor(asking, question.model);
  const { serverTools } = question;
  if (serverTools && selected.model.provider !== 'anthropic') {
    throw new ToolError(`${selected.id} is not from a provider that runs this tool itself.`);
  }
  const request = {
    model: selected.id,
    system: question.system === undefined ? [] : [question.system],
    tools: [],
    ...(serverTools && { serverTools }),
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question.prompt }] }],
    maxOutputTokens: Math.min(question.maxOutputTokens ?? MAX_ANSWER_TOKENS, selected.maxOutputTokens),
    userId: asking.model.userId,
  };
  const answer = await askSideQuestion(asking, selected.model, request, signal);
  if (answer.failure) throw new ToolError(`The model could not be asked: ${answer.failure.message}`);
  return answer.blocks;
}

async function selectedFor(asking: AskingThread, wanted: ModelQuestion['model']): Promise<SelectedModel> {
  if (wanted === 'main') return asking.model.selected;
  return wanted === 'small' ? smallModel(asking) : asking.models.select(wanted.named);
}

/**
 * The small model of the same family. Only Anthropic's names have one that is sure to exist; others answer themselves.
 */
async function smallModel({ model, models }: AskingThread): Promise<SelectedModel> {
  return model.selected.model.provider === 'anthropic' ? models.select('haiku') : model.selected;
}
