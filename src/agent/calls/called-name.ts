import type { ToolUseBlock } from '../../wire/api/content.ts';
import type { TurnTools } from '../turn-tools.ts';

/**
 * The name of the tool that a call is for. Rules, modes and hooks judge that tool, whatever name the model used, so that
 * no alias leads around a rule. One hop, never a chain.
 */
export function calledName({ aliases }: Pick<TurnTools, 'aliases'>, { name }: ToolUseBlock): string {
  return aliases?.get(name) ?? name;
}
