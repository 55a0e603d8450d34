// What path rules cost a command where the kernel holds them: 100 turns with three rules beside 100 without, in one
// process and several times. CPU of this process and of all that it has waited for. Says 0 and a note where the kernel
// cannot hold rules: then they cost no process.
import fs from 'node:fs';
import path from 'node:path';
import { createSession } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';

const TURNS = 100;
const ROUNDS = 2;

const cwd = path.join(process.cwd(), 'path-rules');
furnish();
const engine = createEngine({ cwd, env: process.env });
const base = { cwd, env: process.env, transport: inProcess(engine), allowedTools: ['Bash'] };
const disallowedTools = ['Read(./.env)', 'Edit(./locked/**)', 'Read(**/*.pem)'];
const variants = { without: base, with: { ...base, disallowedTools } };
const spentMs = { without: 0, with: 0 };
let heldBy;
for (let round = 0; round <= ROUNDS; round++) {
  // In both orders: the second one may profit from the first, or clean up after it.
  const order = round % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
  for (const name of order) {
    const ms = await run(variants[name]);
    if (round > 0) spentMs[name] += ms; // the first ones are for the compiler
  }
}
await engine.close();
const perCommandMs = (spentMs.with - spentMs.without) / (ROUNDS * TURNS);
console.log(JSON.stringify({ perCommandMs, plainMs: spentMs.without / (ROUNDS * TURNS), heldBy }));

/** CPU milliseconds of a session with one prompt. */
async function run(options) {
  const session = createSession(options);
  const before = cpuMs();
  await session.send(`go @scenario:turns${TURNS}`);
  for await (const line of session.stream()) {
    if (line.subtype === 'init') heldBy = line.path_rules?.held_by ?? heldBy;
    const [block] = line.type === 'user' ? line.message.content : [];
    if (block?.is_error) throw new Error(`A call failed: ${block.content}`);
  }
  const spent = cpuMs() - before;
  await session.close();
  return spent;
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  const fields = fs
    .readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const ticks = Number(fields[13]) + Number(fields[14]); // of children that were waited for
  return (user + system) / 1000 + ticks * 10;
}

/** A small project: 200 directories with 10 files each. */
function furnish() {
  for (let at = 0; at < 200; at++) {
    const folder = path.join(cwd, 'src', `d${at % 20}`, `e${at}`);
    fs.mkdirSync(folder, { recursive: true });
    for (let file = 0; file < 10; file++) fs.writeFileSync(path.join(folder, `f${file}.ts`), '');
  }
  fs.mkdirSync(path.join(cwd, 'locked'), { recursive: true });
  for (const name of ['.env', 'locked/a', 'src/d1/k.pem']) fs.writeFileSync(path.join(cwd, name), 'x');
}
