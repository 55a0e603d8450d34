/** All of the OpenAI-compatible provider, so that one import loads it when it is wanted. */
export { createOpenAiModel } from './openai.ts';
export { missingOpenAiKey, openAiSettings } from './openai-env.ts';
