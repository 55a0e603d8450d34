import { query } from 'heddle';

const run = query({ prompt: 'list files matching *.md', options: { model: 'offline' } });

for await (const message of run) {
  if (message.type === 'assistant') {
    for (const block of message.message.content) if (block.type === 'text') console.log(block.text);
  }
  if (message.type === 'result') console.log(`${message.subtype}, session ${message.session_id}`);
}
