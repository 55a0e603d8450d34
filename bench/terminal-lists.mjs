// How fast lists of the terminal show their first rows: 5,000 sessions, a tree of 100,000 entries, `@` among 200,000
// files. `terminal-lists.mjs COMMAND…`
import fs from 'node:fs';
import path from 'node:path';
import { openPseudoTerminal, share } from './pseudo-terminal.mjs';
import { makeSessionHome } from './session-home.mjs';

const command = process.argv.slice(2);
const place = fs.realpathSync(fs.mkdtempSync(path.join(process.cwd(), 'lists-')));
process.chdir(place);
const project = place.replaceAll(/[^A-Za-z0-9]/g, '-');
const LARGE = '5a1e0000-0000-4000-8000-000000000000';

makeSessionHome(process.env.HEDDLE_HOME, { sessions: 5000, bytes: 2000, project });
writeLargeSession(path.join(process.env.HEDDLE_HOME, 'projects', project, `${LARGE}.jsonl`), 100_000);
for (let folder = 0; folder < 400; folder++) {
  fs.mkdirSync(`folder${folder}`);
  for (let file = 0; file < 500; file++) fs.writeFileSync(`folder${folder}/file${file}.txt`, '');
}

const terminal = openPseudoTerminal([...command, '--resume', LARGE]);
await terminal.sees('for keys');
await terminal.quiet();
// The code of lists is read with the first of them; what is measured is what a list costs then.
await shown('/mode', 'acceptEdits', '\u001b');
const sessionsMs = await shown('/resume', 'of session 49', '\u001b');
const treeFirstMs = await shown('/tree', 'of 100000 entries', '\u001b');
const treeMs = await shown('/tree', 'of 100000 entries');
const treeEndMs = await toTheEnd();
const mentionKeyMs = await mentions();
await terminal.leave();
console.log(JSON.stringify({ sessionsMs, treeFirstMs, treeMs, treeEndMs, mentionKeyMs }));

/** All pages of the tree, of 3,000 entries each. */
async function toTheEnd() {
  terminal.forget();
  const from = performance.now();
  terminal.type('\u001b[F');
  await terminal.sees('here');
  const ms = performance.now() - from;
  await terminal.quiet();
  terminal.type('\u001b');
  await terminal.quiet();
  return ms;
}

/** From Enter to the rows. */
async function shown(words, text, leave = '') {
  terminal.type(words);
  await terminal.quiet();
  terminal.forget();
  const from = performance.now();
  terminal.type('\r');
  await terminal.sees(text);
  const ms = performance.now() - from;
  await terminal.quiet();
  terminal.type(leave);
  await terminal.quiet();
  return ms;
}

/** What 95 of 100 keys in a query take at most, once the files are known. */
async function mentions() {
  const found = async (key, words) => {
    terminal.forget();
    const from = performance.now();
    terminal.type(key);
    await terminal.sees(`${words}\u001b[0m`);
    return performance.now() - from;
  };
  await found('@file49', 'file49');
  await terminal.quiet();
  const times = [];
  for (let at = 0; at < 20; at++) times.push(await found('9', 'file499'), await found('\u007f', 'file49'));
  return share(times, 0.95);
}

/** Prompts and answers, one after the other. */
function writeLargeSession(file, entries) {
  const lines = [];
  const uuid = (at) => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
  for (let at = 0; at < entries; at++) {
    const isPrompt = at % 2 === 0;
    const message = isPrompt
      ? { role: 'user', content: `prompt ${at}` }
      : {
          ...{ id: `msg_${at}`, type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
          ...{ content: [{ type: 'text', text: `answer ${at}` }], usage: { input_tokens: 1, output_tokens: 1 } },
        };
    lines.push(
      JSON.stringify({
        ...{ parentUuid: at === 0 ? null : uuid(at - 1), isSidechain: false, userType: 'external', cwd: place },
        ...{ sessionId: LARGE, version: '2.1.44', gitBranch: 'main', type: isPrompt ? 'user' : 'assistant', message },
        ...{ uuid: uuid(at), timestamp: '2026-01-01T00:00:00.000Z' },
      }),
    );
  }
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
}
