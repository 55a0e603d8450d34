// Sessions are trees: ask again from an earlier message, look at the branches, go back to one, copy it.
import { createSession, type Session } from 'heddle';

await using session = createSession({ model: 'offline', allowedTools: ['Bash'] });

const first = await ask(session, 'run: echo trunk');
await ask(session, 'run: echo left');
// The answer to `first` is continued another way: what came after it stays, on its own branch.
await ask(session, 'run: echo right', first);

for (const { preview, turns, active } of await session.branches()) {
  console.log(`${preview}: ${turns} turns${active ? ', active' : ''}`);
}

const [left] = await session.branches();
await session.switch(left?.leaf_uuid ?? '');
await ask(session, 'run: echo further left');
const { leaves } = await session.tree();
console.log(`${leaves.length} branches, as before`);

const copy = await session.fork({ title: 'The left one' });
console.log(`copied: ${copy !== session.sessionId}`);

/** Resolves with the uuid of the question. */
async function ask(asked: Session, text: string, parentUuid?: string): Promise<string> {
  const uuid = await asked.send(text, parentUuid === undefined ? {} : { parentUuid });
  for await (const message of asked.stream()) if (message.type === 'result' && message.is_error) console.log(message);
  return uuid;
}
