/**
 * Ends the part of a system prompt that is the same in all sessions: an element of its own in a `systemPrompt` of several
 * blocks, or a line of its own in a `--system-prompt`. What stands before it is cached by itself, so that sessions with
 * other text behind it find it in the provider's cache; the model never sees it.
 *
 * @example
 * ```ts
 * const options: Options = {
 *   systemPrompt: ['You review pull requests.', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'This one is about looms.'],
 * };
 * ```
 */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';
