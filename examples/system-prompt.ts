// What the model is told before the conversation: nothing, words of your own, or the agent's prompt and more.
import { type Options, query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel } from 'heddle/testing';

const prompts: Record<string, Options['systemPrompt']> = {
  none: undefined,
  'your own': 'You answer in rhymes.',
  'the agent’s': { type: 'preset', preset: 'claude_code' },
  'the agent’s, and more': { type: 'preset', preset: 'claude_code', append: 'You answer in rhymes.' },
};

// Plays one answer to each, and keeps what it was asked, so that this runs without a key.
const model = scriptedModel(Object.keys(prompts).map(() => 'ok'));
const engine = createEngine({ cwd: process.cwd(), model, store: createMemoryStore() });
const transport = inProcess(engine);

for (const [name, systemPrompt] of Object.entries(prompts)) {
  for await (const _message of query({ prompt: 'hi', options: { transport, ...(systemPrompt && { systemPrompt }) } }));
  const system = JSON.stringify(model.requests.at(-1)?.system ?? '');
  const length = system.length > 1000 ? 'long' : system.length > 100 ? 'some' : 'short';
  console.log(`${name}: ${length}, rhymes: ${system.includes('rhymes')}`);
}
await engine.close();
