// A conversation: the agent stays, each answer is read before the next question is asked.
import { createSession, resumeSession } from 'heddle';

const options = { model: 'offline', allowedTools: ['Bash'] };

const session = createSession(options);
try {
  for (const question of ['run: echo first', 'run: echo second']) {
    const { text } = await session.ask(question); // rejects when the turn ends in an error
    console.log(text);
  }
} finally {
  await session.close(); // here the agent ends; what was said is stored
}

const again = resumeSession(session.sessionId, options);
try {
  console.log((await again.ask('run: echo third')).text);
  console.log(`same session: ${again.sessionId === session.sessionId}`);
} finally {
  await again.close();
}
