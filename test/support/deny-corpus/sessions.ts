import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../../src/host/create-engine.ts';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import type { AnswerLike } from '../../../src/testing/script.ts';
import { toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { isObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { Client, resultsOf } from '../../host/support.ts';
import { type Act, type Form, filled } from './forms.ts';
import { changingHook, type DenySettings, runCommandLine } from './outer-sessions.ts';
import { type DenyPlace, type DenyPlaces, runPlainly } from './place.ts';

/** What a form does: runs a denied command, shows a hidden file, or changes a locked one. */
export type Kind = 'command' | 'read' | 'edit';

/** A form in its place: what it would do there, and whether it did. */
export interface Target {
  rule: string;
  kind: Kind;
  /** The command as it is denied, with a mark of its own; null where paths are denied. */
  act(id: number, place: DenyPlace): (Act & { happened(): boolean }) | null;
}

/** `Bash(touch:*)`, by a file that only this form names. */
export const TOUCH: Target = {
  rule: 'Bash(touch:*)',
  kind: 'command',
  act(id, { cwd }) {
    const mark = `${cwd}/canary${id}`;
    return { program: 'touch', args: mark, path: '/usr/bin/touch', happened: () => existsSync(mark) };
  },
};

/** Two words: the tag is the mark. */
export const GIT_TAG: Target = {
  rule: 'Bash(git tag:*)',
  kind: 'command',
  act(id, { cwd }) {
    const happened = () => existsSync(`${cwd}/.git/refs/tags/canary${id}`);
    return { program: 'git', args: `tag canary${id}`, path: '/usr/bin/git', happened };
  },
};

export const MKDIR: Target = {
  rule: 'Bash(mkdir *)',
  kind: 'command',
  act(id, { cwd }) {
    const mark = `${cwd}/canary${id}`;
    return { program: 'mkdir', args: mark, path: '/usr/bin/mkdir', happened: () => existsSync(mark) };
  },
};

export const READ_ENV: Target = { rule: 'Read(./.env)', kind: 'read', act: () => null };
export const EDIT_LOCKED: Target = { rule: 'Edit(./locked/**)', kind: 'edit', act: () => null };

/** The text of a form in a place, and the command that it is to run there. */
export function textFor(form: Form, target: Target, id: number, place: DenyPlace) {
  const act = target.act(id, place);
  const more = { ID: String(id), PORT: String(place.port), PORT2: String(20_000 + (place.port % 20_000)) };
  return { text: filled(form.text, act, more), act };
}

/** Those forms that really do it when bash is given them. */
export async function thatWork(forms: readonly Form[], target: Target, places: DenyPlaces): Promise<Form[]> {
  const works = new Set<Form>();
  await inLanes(forms, async (form, id) => {
    const place = await places.make();
    try {
      const { text, act } = textFor(form, target, id, place);
      const shown = await runPlainly(text, place, { offline: target.kind === 'command' });
      if (didIt(target, act, place, shown)) works.add(form);
    } finally {
      place.close();
    }
  });
  return forms.filter((form) => works.has(form));
}

function didIt(target: Target, act: { happened(): boolean } | null, place: DenyPlace, shown: string): boolean {
  if (act !== null) return act.happened();
  return target.kind === 'read' ? place.isRead(shown) : place.isChanged();
}

const LANES = 3;

async function inLanes<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const waiting = [...items.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

export interface Trial {
  /** How the session is started. `default` has a host that allows whatever it is asked. */
  mode: 'bypassPermissions' | 'default';
  /** Which line holds: reading the command alone, or the kernel too. */
  enforcement: 'parse' | 'kernel';
  /**
   * What calls: the main thread, an agent, a command in the background, a command file of the project, a hook that changes
   * another call, the main thread of the built command line, or a script of the project, which only the kernel sees.
   */
  caller: 'main' | 'agent' | 'background' | 'command file' | 'hook' | 'command line' | 'script';
}

/** The forms that get through: each is asked for by a model in a session with the rule. */
export async function thatGetThrough(
  forms: readonly Form[],
  target: Target,
  { places, trial }: { places: DenyPlaces; trial: Trial },
): Promise<Form[]> {
  const through: Form[] = [];
  await inLanes(inBatches(forms, BATCH), async (batch) => {
    const caught = await tryBatch(batch, target, { places, trial });
    // Something in the batch has happened that has no mark of its own: find out what.
    if (caught === 'some') for (const form of batch) through.push(...(await tryAlone(form, target, { places, trial })));
    else through.push(...caught);
  });
  return through;
}

const BATCH = 40;

function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

async function tryAlone(form: Form, target: Target, options: { places: DenyPlaces; trial: Trial }): Promise<Form[]> {
  const caught = await tryBatch([form], target, options);
  return caught === 'some' ? [form] : caught;
}

async function tryBatch(
  forms: readonly Form[],
  target: Target,
  { places, trial }: { places: DenyPlaces; trial: Trial },
): Promise<Form[] | 'some'> {
  const place = await places.make();
  try {
    const given = forms.map((form, id) => ({ form, ...textFor(form, target, id, place) }));
    const shown = await runSession(
      given.map(({ text }) => text),
      target.rule,
      { place, trial },
    );
    if (trial.caller === 'background') await new Promise((resolve) => setTimeout(resolve, 300));
    if (target.kind === 'command') return given.filter(({ act }) => act?.happened()).map(({ form }) => form);
    return didIt(target, null, place, shown) ? 'some' : [];
  } finally {
    place.close();
  }
}

/** Has a model ask for each command, one after the other. Returns all that it was told. */
async function runSession(
  commands: readonly string[],
  rule: string,
  { place, trial }: { place: DenyPlace; trial: Trial },
): Promise<string> {
  const settings: DenySettings = { permissions: { deny: [rule], enforcement: trial.enforcement } };
  if (trial.caller === 'command line') return runCommandLine(commands, settings, place);
  const hook = trial.caller === 'hook' ? changingHook(commands, place) : null;
  const calls = (trial.caller === 'script' ? writeScripts(commands, place.cwd) : (hook?.calls ?? commands)).map(
    (command) =>
      toolUse('Bash', { command, timeout: 8000, ...(trial.caller === 'background' && { run_in_background: true }) }),
  );
  const script = { agent: agentScript(calls), 'command file': () => 'Done.' };
  const model = scriptedModel(
    trial.caller === 'agent' || trial.caller === 'command file' ? script[trial.caller] : [...calls, 'Done.'],
  );
  const engine = createEngine({ cwd: place.cwd, env: place.env, model, store: createMemoryStore(), log: () => {} });
  const prompts = trial.caller === 'command file' ? writeCommandFiles(commands, place.cwd) : ['go'];
  const config: RunConfig = {
    ...{
      print: true,
      settings: JSON.stringify({ ...settings, ...(hook && { hooks: hook.hooks }) }),
      settingSources: ['project'],
      trust: true,
    },
    permissionMode: trial.mode,
    ...(trial.mode === 'bypassPermissions' ? { dangerouslySkipPermissions: true } : { permissionPromptTool: 'stdio' }),
  };
  const client = new Client(inProcess(engine)({ config, cwd: place.cwd }), () => ({ behavior: 'allow' }));
  try {
    for (const prompt of prompts) await client.ask(prompt);
    return [...resultsOf(client.lines), ...model.requests.map(({ messages }) => messages.at(-1))]
      .map((each) => JSON.stringify(each))
      .join('\n')
      .replaceAll('\\n', ' ');
  } finally {
    await client.close();
    await engine.close();
  }
}

/** Files that run the commands: their words tell nothing. */
function writeScripts(commands: readonly string[], cwd: string): string[] {
  mkdirSync(join(cwd, 'bin'), { recursive: true });
  return commands.map((command, at) => {
    writeFileSync(join(cwd, `bin/form${at}`), `#!/bin/bash\n${command}\n`, { mode: 0o755 });
    return `./bin/form${at}`;
  });
}

/** Commands that run when their file is called, without a question; the file allows itself all of them. */
function writeCommandFiles(commands: readonly string[], cwd: string): string[] {
  mkdirSync(join(cwd, '.claude/commands'), { recursive: true });
  return commands.map((command, at) => {
    const fence = /[\n`]/.test(command) ? `\`\`\`!\n${command}\n\`\`\`` : `!\`${command}\``;
    writeFileSync(join(cwd, `.claude/commands/form${at}.md`), `---\nallowed-tools: Bash\n---\n${fence}\n`);
    return `/form${at}`;
  });
}

/** The main thread starts one agent, which asks for all the calls. */
function agentScript(calls: readonly AnswerLike[]): (request: ModelRequest, index: number) => AnswerLike {
  let asked = 0;
  let hasStarted = false;
  return ({ messages }) => {
    const isAgent = JSON.stringify(messages[0]).includes('work of an agent');
    if (isAgent) return calls[asked++] ?? 'Done.';
    if (hasStarted || messages.some(({ content }) => hasResult(content))) return 'Done.';
    hasStarted = true;
    return toolUse('Task', { description: 'work', prompt: 'the work of an agent', subagent_type: 'general-purpose' });
  };
}

function hasResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => isObject(block) && block.type === 'tool_result');
}
