import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** The prompts that the launch gives, as text or as files. Giving one both ways is an error. */
export function readPrompts(config: RunConfig, cwd: string): { systemPrompt?: string; appendSystemPrompt?: string } {
  const systemPrompt = choose('--system-prompt', config.systemPrompt, config.systemPromptFile, cwd);
  const appendSystemPrompt = choose(
    '--append-system-prompt',
    config.appendSystemPrompt,
    config.appendSystemPromptFile,
    cwd,
  );
  return {
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
  };
}

function choose(flag: string, text: string | undefined, file: string | undefined, cwd: string): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) throw new HeddleError('invalid_option', `Give either ${flag} or ${flag}-file, not both`);
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new HeddleError('invalid_option', `${flag}-file cannot be read: ${file}`, { cause });
  }
}
