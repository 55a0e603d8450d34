import { askAside } from '../agent/aside.ts';
import { budgetExhausted } from '../agent/limits.ts';
import { hidesPath } from '../permissions/match-rule.ts';
import { ToolError } from '../tools/tool.ts';
import type { ModelQuestion, ToolSession } from '../tools/tool-session.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Parts } from './assemble.ts';
import type { Env } from './home.ts';
import type { Chosen } from './models.ts';

/** Enough for an answer about a page. */
const MAX_ANSWER_TOKENS = 4096;

export interface ToolSessionOptions {
  env: Env;
  planFile(): string | null;
}

/** What the tools of one session share, made of its parts. `parts` is asked late: some of it changes. */
export function createToolSession(parts: () => Parts, options: ToolSessionOptions): ToolSession {
  return {
    get id() {
      return parts().sessionId;
    },
    mayRead: (path) => !hidesPath(parts().permissions.policy, path),
    mode: {
      current: () => parts().permissions.policy.mode,
      beforePlan: () => parts().permissions.beforePlan,
      set: async (mode) => parts().permissions.apply([{ type: 'setMode', mode, destination: 'session' }]),
    },
    planFile: options.planFile,
    ask: (question, signal) => ask(parts(), question, signal),
  };
}

async function ask(parts: Parts, question: ModelQuestion, signal: AbortSignal): Promise<readonly ContentBlock[]> {
  if (budgetExhausted(parts.limits, parts.ledger.costUsd)) throw new ToolError('The budget of this run is used up.');
  const chosen = question.model === 'small' ? await smallModel(parts) : parts.chosen;
  const { serverTools } = question;
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

/** Only Anthropic's names have a small sibling that is sure to exist; any other model is asked itself. */
async function smallModel(parts: Parts): Promise<Chosen> {
  return parts.chosen.model.provider === 'anthropic' ? parts.chooseModel('haiku') : parts.chosen;
}
