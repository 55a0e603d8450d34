import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemReason } from '../../util/files/system-reason.ts';
import { HeddleError } from '../../wire/errors.ts';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../wire/prompt-boundary.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/** The system prompt of a session. */
export interface PromptSettings {
  /** One text, or blocks that are not empty. */
  systemPrompt?: string | readonly string[];
  /** How many of these blocks all sessions share; undefined: the prompt has no border. */
  sharedBlocks?: number | undefined;
  appendSystemPrompt?: string;
}

/** The prompts of the launch, from text or from files. Throws when the launch gives a prompt both ways. */
export async function readPrompts(config: RunConfig, cwd: string): Promise<PromptSettings> {
  const systemPrompt = await selectPrompt('--system-prompt', config.systemPrompt, config.systemPromptFile, cwd);
  const appendSystemPrompt = await selectPrompt(
    '--append-system-prompt',
    config.appendSystemPrompt,
    config.appendSystemPromptFile,
    cwd,
  );
  return {
    ...(systemPrompt !== undefined && blocksOf(systemPrompt)),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
}

/** Cuts only a prompt with a border into blocks. */
function blocksOf(systemPrompt: string): PromptSettings {
  return systemPrompt.includes(SYSTEM_PROMPT_DYNAMIC_BOUNDARY) ? promptBlocks([systemPrompt]) : { systemPrompt };
}

/** Cuts a prompt into blocks and counts those before the border, if there is one. The border is a block or a line. */
export function promptBlocks(texts: readonly string[]): Pick<PromptSettings, 'systemPrompt' | 'sharedBlocks'> {
  const pieces = texts.flatMap(withBorders).filter((piece) => piece !== '');
  const border = pieces.indexOf(null);
  const systemPrompt = pieces.filter((piece) => piece !== null);
  return border < 0 ? { systemPrompt } : { systemPrompt, sharedBlocks: border };
}

const BORDER = new RegExp(`(?:^|\\n)${SYSTEM_PROMPT_DYNAMIC_BOUNDARY}(?:\\n|$)`);

/** The texts of a block, with null for each border between them. */
function withBorders(block: string): (string | null)[] {
  return block.split(BORDER).flatMap((text, at) => (at === 0 ? [text] : [null, text]));
}

/** Reads the file without blocking, because it may be a pipe of the caller. */
async function selectPrompt(
  flag: string,
  text: string | undefined,
  file: string | undefined,
  cwd: string,
): Promise<string | undefined> {
  if (file === undefined) return text;
  if (text !== undefined) throw new HeddleError('invalid_option', `Give either ${flag} or ${flag}-file, not both`);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_option', `${flag}-file: ${file} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
