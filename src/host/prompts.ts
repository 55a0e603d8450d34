import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HeddleError } from '../wire/errors.ts';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../wire/prompt-boundary.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { SessionSettings } from './session-settings.ts';

/** The prompts that the launch gives, as text or as files. Giving one both ways is an error. */
export async function readPrompts(config: RunConfig, cwd: string): Promise<Prompts> {
  const systemPrompt = await choose('--system-prompt', config.systemPrompt, config.systemPromptFile, cwd);
  const appendSystemPrompt = await choose(
    '--append-system-prompt',
    config.appendSystemPrompt,
    config.appendSystemPromptFile,
    cwd,
  );
  return {
    ...(systemPrompt !== undefined && (await blocksOf(systemPrompt))),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
}

type Prompts = Pick<SessionSettings, 'systemPrompt' | 'sharedBlocks' | 'appendSystemPrompt'>;

/** What parts a prompt is loaded for one that has a border. */
async function blocksOf(systemPrompt: string): Promise<Prompts> {
  if (!systemPrompt.includes(SYSTEM_PROMPT_DYNAMIC_BOUNDARY)) return { systemPrompt };
  return (await import('./prompt-blocks.ts')).promptBlocks([systemPrompt]);
}

/** A file may be a pipe of the caller's: it is waited for, and signals are heard meanwhile. */
async function choose(
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
    const { systemReason } = await import('../util/system-reason.ts');
    throw new HeddleError('invalid_option', `${flag}-file: ${file} cannot be read: ${systemReason(cause)}`, { cause });
  }
}
