// A host of its own process, for tests that kill it: asks once, says who its agent is, and then keeps the session open.
import { query } from '../../dist/index.js';

let say = () => {};
async function* prompts() {
  if (process.env.HOST_PROMPT) yield { type: 'user', message: { role: 'user', content: process.env.HOST_PROMPT } };
  await new Promise((resolve) => {
    say = resolve;
  });
}

const options = { cwd: process.cwd(), env: process.env, allowedTools: ['Bash'] };
const running = query({ prompt: prompts(), options });
await running.initializationResult();
process.stdout.write('ready\n');
for await (const message of running) if (message.type === 'result') process.stdout.write('result\n');
say();
