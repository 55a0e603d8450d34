// A conversation: the agent stays, each answer is read before the next question is asked.
import { createSession, resumeSession } from 'heddle';

const options = { model: 'offline', allowedTools: ['Bash'] };
let sessionId = '';
{
  await using session = createSession(options);
  for (const question of ['run: echo first', 'run: echo second']) {
    await session.send(question);
    for await (const message of session.stream()) {
      if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
    }
  }
  ({ sessionId } = session);
} // here the agent ends; what was said is stored

await using again = resumeSession(sessionId, options);
await again.send('run: echo third');
for await (const message of again.stream()) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
console.log(`same session: ${again.sessionId === sessionId}`);
