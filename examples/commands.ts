// Slash commands: which there are, and what one of them says. They are answered without a model.
import { query, successOf } from 'heddle';

const run = query({ prompt: '/context', options: { model: 'offline', persistSession: false } });
for (const { name, description } of await run.supportedCommands()) console.log(`/${name}: ${description}`);

for await (const message of run) {
  if (message.type === 'result') console.log(`\n${successOf(message).result}`);
}
