import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../wire/prompt-boundary.ts';
import type { SessionSettings } from './session-settings.ts';

/** A prompt of blocks; where it has a border, how many of them lie before it. The border may be a block, or a line of one. */
export function promptBlocks(given: readonly string[]): Pick<SessionSettings, 'systemPrompt' | 'sharedBlocks'> {
  const pieces = given.flatMap(withBorders).filter((piece) => piece !== '');
  const border = pieces.indexOf(null);
  const systemPrompt = pieces.filter((piece) => piece !== null);
  return border < 0 ? { systemPrompt } : { systemPrompt, sharedBlocks: border };
}

const BORDER = new RegExp(`(?:^|\\n)${SYSTEM_PROMPT_DYNAMIC_BOUNDARY}(?:\\n|$)`);

/** The texts of a block, with null for each border between them. */
function withBorders(block: string): (string | null)[] {
  return block.split(BORDER).flatMap((text, at) => (at === 0 ? [text] : [null, text]));
}
