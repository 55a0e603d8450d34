import type { OutputStyle } from './output-styles.ts';
import type { PromptFile } from './prompt-file.ts';

/**
 * The skills and commands that come with Heddle, by name: enough to list them. Their texts are in `bundled-texts.ts`,
 * loaded on first use.
 */
export const BUNDLED_PROMPTS: readonly BundledPrompt[] = [
  {
    kind: 'skill',
    name: 'debug',
    description: 'Find out what went wrong in this session',
    argumentHint: '[what happened]',
  },
  { kind: 'command', name: 'init', description: 'Write an AGENTS.md that introduces this project', argumentHint: '' },
  {
    kind: 'command',
    name: 'review',
    description: 'Review the changes that are not committed yet',
    argumentHint: '[what to look at]',
  },
];

export type BundledPrompt = Pick<PromptFile, 'kind' | 'name' | 'description' | 'argumentHint'>;

/** The style that changes nothing. */
export const DEFAULT_STYLE = 'default';

export const BUNDLED_STYLES: readonly Pick<OutputStyle, 'name' | 'description'>[] = [
  { name: 'Explanatory', description: 'Explains, along the way, why things are done as they are' },
  { name: 'Learning', description: 'Leaves small, telling pieces of the work to you' },
];
