import type { ThinkingDisplay } from '../wire/thinking-display.ts';

/** Settings that may change while the session lives. Null takes a setting back. */
export interface SessionSettings {
  /** One text, or blocks of which none is empty. */
  systemPrompt?: string | readonly string[];
  /** How many of these blocks all sessions share, where that was said. */
  sharedBlocks?: number | undefined;
  appendSystemPrompt?: string;
  maxThinkingTokens?: number | null;
  /** The model paces its thinking itself, where it can. */
  adaptiveThinking?: boolean;
  /** What of its thinking the provider sends; the provider decides where nothing is said. */
  thinkingDisplay?: ThinkingDisplay | null;
  /** By the name that the model calls, the tool that it gets. */
  toolAliases?: ReadonlyMap<string, string>;
  /** How to work in plan mode, in the host's words. */
  planModeInstructions?: string;
}
