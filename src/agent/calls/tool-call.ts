import type { ToolUseBlock } from '../../wire/api/content.ts';
import type { HeddleError } from '../../wire/errors.ts';

/** A call of a tool in an answer of the model. */
export interface ToolCall {
  block: ToolUseBlock;
  /** The recorded assistant line that holds the call. */
  assistantUuid: string;
  /** The reason why the call cannot be run as the model wrote it. */
  problem?: string;
}

/** The reports of hooks about one call, and an error of the program that the call revealed. */
export interface SaidOfCall {
  broken?: HeddleError;
  contexts?: readonly string[];
  stopReason?: string;
  deferred?: true;
}
