// A small client of the Agent Client Protocol, which allows once whatever it is asked.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class AcpClient {
  /** How many permission questions came. */
  questions = 0;
  #child;
  #open = new Map();
  #updates = [];
  #patienceMs;
  #errors = '';
  #watching = null;

  constructor(command, { cwd, env, patienceMs }) {
    this.#patienceMs = patienceMs;
    this.#child = spawn(process.execPath, command, { cwd, env });
    this.#child.stdin.on('error', () => {}); // it has ended
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#errors += text;
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
  }

  call(method, params) {
    const id = this.#open.size + 1;
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no answer to ${method}\n${this.#errors}`));
      const timer = setTimeout(late, this.#patienceMs);
      this.#open.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error) reject(new Error(`${method}: ${JSON.stringify(error)}`));
        else resolve(result);
      });
      this.#send({ id, method, params });
    });
  }

  get pid() {
    return this.#child.pid;
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  /** Resolves with the next update that matches. */
  sees(match) {
    return new Promise((resolve) => {
      this.#watching = { match, resolve };
    });
  }

  /** The tool calls so far, each with what the updates said last. */
  calls() {
    const calls = new Map();
    for (const { sessionUpdate, toolCallId, content, ...fields } of this.#updates) {
      if (!sessionUpdate.startsWith('tool_call')) continue;
      const call = calls.get(toolCallId) ?? { diffs: [] };
      const diffs = (content ?? []).filter(({ type }) => type === 'diff');
      if (diffs.length > 0) call.diffs = diffs.map(({ path, oldText, newText }) => ({ path, oldText, newText }));
      const told = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
      calls.set(toolCallId, { ...call, ...Object.fromEntries(told) });
    }
    return [...calls.values()];
  }

  close() {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null) return resolve();
      this.#child.on('exit', resolve);
      this.#child.kill();
    });
  }

  #take({ id, method, params, ...answer }) {
    if (method === 'session/update') this.#note(params.update);
    else if (method === 'session/request_permission') {
      this.questions++;
      const { optionId } = params.options.find(({ kind }) => kind === 'allow_once');
      this.#send({ id, result: { outcome: { outcome: 'selected', optionId } } });
    } else if (method === undefined) this.#open.get(id)?.(answer);
  }

  #note(update) {
    this.#updates.push(update);
    if (!this.#watching?.match(update)) return;
    this.#watching.resolve(update);
    this.#watching = null;
  }

  #send(line) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);
  }
}
