// A connection that stays open, read in several places: a log, the answers one by one, and somebody who comes late.
import { HeddleClient, successOf } from 'heddle';

const client = new HeddleClient({ model: 'offline', persistSession: false });
await client.connect();
const { commands } = (await client.getServerInfo()) ?? { commands: [] };
console.log(`connected: ${commands.length > 0}`);

const log = (async () => {
  const seen: string[] = [];
  for await (const message of client.receiveMessages()) seen.push(message.type);
  return seen;
})();

for (const prompt of ['run: echo one', 'run: echo two']) {
  await client.query(prompt);
  for await (const message of client.receiveResponse()) {
    if (message.type === 'result') console.log(successOf(message).result);
  }
}

// Every message has a number. Whoever was away goes on where it stopped; nothing is missed, nothing comes twice.
let results = 0;
for await (const { message } of client.subscribe({ from: 1 })) {
  if (message.type === 'result' && ++results === 2) break;
}
console.log(`caught up on ${results} results`);

await client.disconnect();
console.log(`the log has ${(await log).filter((type) => type === 'result').length} results`);
