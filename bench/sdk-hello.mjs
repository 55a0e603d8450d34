// One query through the SDK, as a user would write it.
import { query } from 'heddle';

for await (const message of query({ prompt: 'hi @scenario:hello', options: { env: process.env } })) {
  if (message.type === 'result') console.log(JSON.stringify(message));
}
