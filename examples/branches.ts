// Sessions are trees: ask again from an earlier message, look at the branches, go back to one, copy it.
import { createSession } from 'heddle';

const session = createSession({ model: 'offline', allowedTools: ['Bash'] });
try {
  const first = await session.ask('run: echo trunk');
  await session.ask('run: echo left');
  // The answer to `first` is continued another way: what came after it stays, on its own branch.
  await session.ask('run: echo right', { parentUuid: first.uuid });

  for (const { preview, turns, active } of await session.branches()) {
    console.log(`${preview}: ${turns} turns${active ? ', active' : ''}`);
  }

  const [left] = await session.branches();
  if (left) await session.switch(left.leafUuid);
  await session.ask('run: echo further left');
  const { leaves } = await session.tree();
  console.log(`${leaves.length} branches, as before`);

  const copy = await session.fork({ title: 'The left one' });
  console.log(`copied: ${copy !== session.sessionId}`);
} finally {
  await session.close();
}
