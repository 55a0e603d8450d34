// What an editor does when somebody edits a message: the new text hangs where the old one hung, and the conversation
// goes on there. The old branch stays. No restart, no other session.
import { createSession } from 'heddle';

await using session = createSession({ model: 'offline', allowedTools: ['Bash'] });

await ask('run: echo warp');
const mistaken = await ask('run: echo wfet');

// The tree says what a message hangs from; null is the very beginning.
const { nodes } = await session.tree();
const parentUuid = nodes.find(({ uuid }) => uuid === mistaken)?.parent_uuid ?? null;
await ask('run: echo weft', parentUuid);

for (const { preview, turns, active } of await session.branches()) {
  console.log(`${active ? '*' : ' '} ${preview} (${turns} turns)`);
}

/** Prints the last line of the answer, and resolves with the uuid of the question. */
async function ask(text: string, parentUuid?: string | null): Promise<string> {
  const uuid = await session.send(text, parentUuid === undefined ? {} : { parentUuid });
  for await (const message of session.stream()) {
    if (message.type === 'result' && message.subtype === 'success') console.log(message.result.split('\n').at(-1));
  }
  return uuid;
}
