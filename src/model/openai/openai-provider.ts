/** All of the OpenAI-compatible provider, so that one import loads it when it is needed. */
export { createOpenAiModel } from './openai.ts';
export { missingOpenAiKey, openAiSettings } from './openai-env.ts';
