// What hooks cost a turn in which none of them fits: 200 turns with 30 of them beside 200 without, in one process and
// several times. The turns start no command: that would cost more than what is looked for, and vary by more.
import { createSession } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';

const TURNS = 200;
const ROUNDS = 2;

const engine = createEngine({ cwd: process.cwd(), env: process.env });
const base = { env: process.env, transport: inProcess(engine) };
const variants = { without: base, with: { ...base, settings: JSON.stringify({ hooks: thirtyHooks() }) } };
const spentMs = { without: 0, with: 0 };
for (let round = 0; round <= ROUNDS; round++) {
  // In both orders: the second one may profit from the first, or clean up after it.
  const order = round % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
  for (const name of order) {
    const ms = await run(variants[name]);
    if (round > 0) spentMs[name] += ms; // the first ones are for the compiler
  }
}
await engine.close();
console.log(JSON.stringify({ perTurnMs: (spentMs.with - spentMs.without) / (ROUNDS * TURNS) }));

/** CPU milliseconds of this process for a session with one prompt. */
async function run(options) {
  const session = createSession(options);
  const before = process.cpuUsage();
  await session.send(`go @scenario:todos${TURNS}`);
  for await (const { type, message } of session.stream()) {
    if (type === 'user' && message.content[0].is_error) throw new Error(`A call failed: ${message.content[0].content}`);
  }
  const { user, system } = process.cpuUsage(before);
  await session.close();
  return (user + system) / 1000;
}

/** Of all events of a call, each with ten matchers of every sort that do not fit TodoWrite. */
function thirtyHooks() {
  const names = ['Read', 'Edit|Write', 'Glob|Grep', 'mcp__.*__write', '^Notebook', 'Web(Fetch|Search)', 'Bash'];
  const matchers = [...names, 'Task', 'AskUserQuestion', '(Enter|Exit)PlanMode'];
  const groups = matchers.map((matcher) => ({ matcher, hooks: [{ type: 'command', command: 'exit 2' }] }));
  return { PreToolUse: groups, PostToolUse: groups, PermissionRequest: groups };
}
