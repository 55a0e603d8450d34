// A made-up session with everything that the explorer draws: calls of several kinds, an agent, a failed command, two
// branches, costs.
import fs from 'node:fs';
import path from 'node:path';

const SESSION = '3f2a9c11-0000-4000-8000-000000000001';
const CWD = '/home/ann/shop';
const PATCH = [
  {
    ...{ oldStart: 12, oldLines: 4, newStart: 12, newLines: 4 },
    lines: [
      ' export function login(form: Form) {',
      '-  button.disabled = true;',
      '+  button.disabled = form.isPending;',
      '   return send(form);',
    ],
  },
];
const TODOS = [
  { content: 'fix the button', status: 'completed' },
  { content: 'write a test', status: 'in_progress' },
  { content: 'look at the other forms', status: 'pending' },
];
const FOUND = 'src/login.ts:13:  button.disabled = form.isPending;\nsrc/order.ts:41:  pay.disabled = true;';
const DONE = [
  'The button is **enabled** again after a wrong password.\n',
  '| file | change |\n|---|---|\n| `src/login.ts` | the state of the form decides |\n| `test/login.test.ts` | a test that failed before |\n',
  '1. `form.isPending` is reset when an answer comes\n2. two other forms have the same fault\n',
].join('\n');

/** Writes the session and some older ones into a home; returns its id. */
export function writeDemoSession(home) {
  const folder = path.join(home, 'projects', '-work-shop');
  fs.mkdirSync(folder, { recursive: true });
  const pen = createPen(SESSION);
  const fork = firstTurn(pen);
  pen.turn(fork, 'with a test', [['text', 'A test is there: `test/login.test.ts`.']], 0.31);
  pen.turn(
    fork,
    'without a test, but look at the other forms',
    [
      ['call', 'Grep', { pattern: '\\.disabled = true' }, FOUND, 1],
      ['text', 'One other form has the same fault: `src/order.ts`. I have not changed it.'],
    ],
    0.43,
  );
  const file = path.join(folder, `${SESSION}.jsonl`);
  fs.writeFileSync(file, pen.text());
  writeAgent(file);
  const older = [
    'Why is the import so slow?',
    'Write the release notes',
    'Update the schema of orders',
    'Explain the cache',
  ];
  for (const [at, prompt] of older.entries()) {
    const id = `${at + 1}b7d20c4-0000-4000-8000-000000000000`;
    const own = createPen(id);
    own.turn(null, prompt, [['text', 'Done.']], 0.07 * (at + 1));
    fs.writeFileSync(path.join(folder, `${id}.jsonl`), own.text());
    const time = Date.now() / 1000 - (at + 1) * 40_000;
    fs.utimesSync(path.join(folder, `${id}.jsonl`), time, time);
  }
  return SESSION;
}

function firstTurn(pen) {
  return pen.turn(
    null,
    'Fix the login form: the button stays grey after a wrong password',
    [
      ['thinking', 'The state is probably not reset after the error. I look at the form first.'],
      ['text', 'I look at the form first.'],
      [
        'call',
        'Read',
        { file_path: `${CWD}/src/login.ts` },
        '12\texport function login(form: Form) {\n13\t  button.disabled = true;',
        1,
      ],
      [
        'call',
        'Bash',
        { command: 'npm test', description: 'run the tests' },
        '\u001b[31m✗ login.test.ts\u001b[0m\n  expected \u001b[32menabled\u001b[0m, got \u001b[33mdisabled\u001b[0m\n\n1 failed',
        12,
        { isError: true },
      ],
      [
        'call',
        'Edit',
        { file_path: `${CWD}/src/login.ts`, old_string: 'true', new_string: 'form.isPending' },
        'done',
        1,
        { toolUseResult: { filePath: `${CWD}/src/login.ts`, structuredPatch: PATCH } },
      ],
      [
        'call',
        'Task',
        { description: 'find other forms', prompt: 'look', subagent_type: 'Explore' },
        'There is one.',
        9,
      ],
      ['call', 'TodoWrite', { todos: TODOS }, 'ok', 0],
      ['text', DONE],
    ],
    0.1,
  );
}

function writeAgent(file) {
  const folder = path.join(file.replace(/\.jsonl$/, ''), 'subagents');
  fs.mkdirSync(folder, { recursive: true });
  const pen = createPen('a', { isSidechain: true, agentId: 'a1' });
  pen.turn(null, 'Find forms whose button stays grey', [['text', 'There is one: `src/order.ts`.']], 0);
  fs.writeFileSync(path.join(folder, 'agent-a1.jsonl'), pen.text());
  const meta = { toolUseId: 'call-Task', agentType: 'Explore', description: 'find other forms' };
  fs.writeFileSync(path.join(folder, 'agent-a1.meta.json'), JSON.stringify(meta));
}

function createPen(sessionId, shared = {}) {
  const lines = [];
  let [made, at] = [0, Date.UTC(2026, 0, 12, 9, 30)];
  const put = (parentUuid, seconds, fields) => {
    at += seconds * 1000;
    const uuid = `${(++made).toString(16).padStart(8, '0')}-0000-4000-8000-${sessionId.slice(0, 4).padStart(12, '0')}`;
    const place = { sessionId, cwd: CWD, version: '1.0.0', gitBranch: 'main', ...shared };
    lines.push({ ...place, parentUuid, uuid, timestamp: new Date(at).toISOString(), ...fields });
    return uuid;
  };
  const usage = { input_tokens: 1200, output_tokens: 180, cache_read_input_tokens: 9000 };
  const answer = (parent, block) => {
    const message = {
      id: `msg_${made}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
    };
    return put(parent, 3, {
      type: 'assistant',
      requestId: `req_${made}`,
      message: { ...message, stop_reason: 'end_turn', usage },
    });
  };
  const add = (parent, [kind, name, input, output, seconds, more = {}]) => {
    if (kind === 'thinking') return answer(parent, { type: 'thinking', thinking: name });
    if (kind === 'text') return answer(parent, { type: 'text', text: name });
    const { isError = false, ...fields } = more;
    const id = `call-${name}`;
    const called = answer(parent, { type: 'tool_use', id, name, input });
    const block = { type: 'tool_result', tool_use_id: id, content: output, ...(isError && { is_error: true }) };
    return put(called, seconds, { type: 'user', message: { role: 'user', content: [block] }, ...fields });
  };
  return {
    turn(parent, prompt, parts, cost) {
      let last = put(parent, 20, { type: 'user', message: { role: 'user', content: prompt } });
      for (const part of parts) last = add(last, part);
      lines.push({ type: 'cost-state', sessionId, totalCostUSD: cost, modelUsage: {} });
      return last;
    },
    text: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
}
