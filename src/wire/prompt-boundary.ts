/**
 * Ends the part of a system prompt that all sessions share. It is an element of its own in a `systemPrompt` of several
 * blocks, or a line of its own in a `--system-prompt`; the model never sees it. The provider caches the text before it
 * separately, so that sessions that differ after it share the cache.
 *
 * @example
 * ```ts
 * const options: Options = {
 *   systemPrompt: ['You review pull requests.', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'This one is about looms.'],
 * };
 * ```
 */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';
