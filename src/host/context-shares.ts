import type { ApiMessage, ApiTool } from '../model/model.ts';

/** What a request consists of, apart from its settings. */
export interface Context {
  readonly system: readonly string[];
  readonly tools: readonly ApiTool[];
  readonly messages: readonly ApiMessage[];
}

/** What fills the window, in tokens. */
export interface ContextShares {
  system: number;
  tools: number;
  messages: number;
  /** As the API counted the last request, where there was one; else the sum of the others. */
  used: number;
}

/** The parts are estimates; `counted` is what the API said of the last request and its answer, 0 if nothing yet. */
export function contextShares({ system, tools, messages }: Context, counted: number): ContextShares {
  const parts = {
    system: estimateTokens(system),
    tools: estimateTokens(tools),
    messages: messages.length === 0 ? 0 : estimateTokens(messages),
  };
  return { ...parts, used: counted || parts.system + parts.tools + parts.messages };
}

/** About four characters are a token. */
export function estimateTokens(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4);
}
