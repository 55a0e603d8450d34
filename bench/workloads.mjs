// What is run: each workload is done by the floor and by Heddle with the same arguments against the same model.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const file = (name) => path.join(here, name);
const node = process.execPath;

export const floorCommand = [node, file('floor/agent.cjs')];
export const heddleCommand = [node, path.join(here, '../dist/heddle.cjs')];

/** Stands for the path of the workload's long session. */
export const LONG_SESSION = '@long-session';

/** Stands for a copy of Heddle's command line that cannot store compiled code. */
export const COLD_COPY = '@cold-copy';

const print = (scenario, ...flags) => [
  ...['-p', `go @scenario:${scenario}`, '--output-format', 'stream-json', '--verbose'],
  ...['--allowedTools', 'Bash', ...flags],
];

const eightOutputs = Array.from({ length: 8 }, (_, i) => new RegExp(`"content":"p${i}(\\\\n)?"`));

/** A program of Node that an editor asks what it can, and then leaves. */
const asked = (...args) => [
  ...['bash', '-c', 'line="$1"; shift; exec "$0" "$@" < "$line"'],
  ...[node, file('initialize.jsonl'), ...args],
];

const resume = (name, { sessionId, compacted }) => ({
  name,
  heddle: [...heddleCommand, ...print('hello', '--resume', sessionId)],
  floor: [...floorCommand, ...print('hello', compacted ? '--resume-recent' : '--resume', LONG_SESSION)],
  expect: [/"result":"Hello"/],
  requests: 1,
  longSession: { sessionId, compacted, bytes: 100_000_000 },
});

/**
 * `expect` is what the output must hold; `requests` is how many model calls the work needs: one more would be a call on
 * the side; null where that is not known before. `once`: it takes minutes, so it is not repeated. `needsSessions`: it is about a home with 5,000 sessions of 100 KB.
 * `tellsItself`: its output is figures, as JSON, besides those that are measured from outside.
 * `longSession`: a session to make before, which it goes on with. `needsColdCopy`: it runs a
 * copy that cannot store compiled code. `args` are the same for both; where what does the
 * work differs, `floor` and `heddle` are whole commands.
 */
export const workloads = [
  { name: 'version', args: ['--version'], expect: [/\d+\.\d+\.\d+/] },
  { name: 'hello', args: print('hello'), expect: [/"result":"Hello"/], requests: 1 },
  {
    name: 'hello-cold',
    heddle: [node, COLD_COPY, ...print('hello')],
    floor: [...floorCommand, ...print('hello')],
    expect: [/"result":"Hello"/],
    requests: 1,
    needsColdCopy: true,
  },
  { name: 'turns20', args: print('turns20'), expect: [/"result":"Ran 20 turns\."/], requests: 21 },
  { name: 'turns100', args: print('turns100'), expect: [/"result":"Ran 100 turns\."/], requests: 101 },
  {
    name: 'deltas',
    args: print('big', '--include-partial-messages'),
    expect: [/"result":"word0 .*word1999/],
    requests: 1,
  },
  {
    name: 'parallel8',
    args: print('parallel8'),
    expect: eightOutputs,
    requests: 2,
  },
  { name: 'sdk-import', floor: [node, '--eval', '0'], heddle: [node, file('sdk-import.mjs')], expect: [/^$/] },
  {
    name: 'list5000',
    floor: [node, file('floor/list.cjs')],
    heddle: [node, file('sdk-list.mjs')],
    expect: [/^listed 5000$/],
    needsSessions: true,
  },
  {
    name: 'list20',
    floor: [node, file('floor/list.cjs'), '20'],
    heddle: [node, file('sdk-list.mjs'), '20'],
    expect: [/^listed 20$/],
    needsSessions: true,
  },
  resume('resume', { sessionId: '0b3ac8f2-5d4e-4c1b-9a67-1f2e3d4c5b6a', compacted: true }),
  resume('resume-whole', { sessionId: '7c9d2e1f-8a3b-4f6c-b5d4-0e1f2a3b4c5d', compacted: false }),
  {
    name: 'idle10',
    heddle: [node, file('idle-sessions.mjs')],
    expect: [/^\{"pssMiB"/],
    requests: 10,
    tellsItself: true,
  },
  {
    name: 'acp-initialize',
    floor: asked(file('floor/acp.cjs')),
    heddle: asked(heddleCommand[1], 'acp'),
    expect: [/"protocolVersion":1/],
    requests: 0,
  },
  {
    name: 'acp',
    heddle: [node, file('acp.mjs'), heddleCommand[1], 'acp', '--allowed-tools', 'Bash'],
    expect: [/^\{"newCpuMs"/],
    requests: null,
    tellsItself: true,
  },
  {
    name: 'providers',
    heddle: [node, file('providers.mjs'), ...heddleCommand],
    expect: [/^\{"anthropicCpuMs"/],
    requests: 0,
    tellsItself: true,
    once: true,
  },
  {
    name: 'explorer',
    heddle: [node, file('explorer.mjs'), '00000000-0000-4000-8000-00000000e0e0', ...heddleCommand],
    expect: [/^\{"pageKb"/],
    requests: 0,
    tellsItself: true,
    once: true,
    longSession: { sessionId: '00000000-0000-4000-8000-00000000e0e0', compacted: false, bytes: 100_000_000 },
  },
  {
    name: 'hooks-idle',
    heddle: [node, file('hooks-idle.mjs')],
    expect: [/^\{"perTurnMs"/],
    requests: 1206,
    tellsItself: true,
  },
  {
    name: 'plugin-check',
    heddle: [node, file('plugin-check.mjs')],
    expect: [/^\{"perPluginMs"/],
    requests: 0,
    tellsItself: true,
  },
  {
    name: 'path-rules',
    heddle: [node, file('path-rules.mjs')],
    expect: [/^\{"perCommandMs"/],
    requests: 606,
    tellsItself: true,
  },
  {
    name: 'decisions',
    heddle: [node, file('decisions.mjs')],
    expect: [/^\{"gitMs"/],
    requests: 0,
    tellsItself: true,
  },
  {
    name: 'terminal',
    floor: [node, file('terminal.mjs'), '--floor', node, file('floor/keys.cjs')],
    heddle: [node, file('terminal.mjs'), ...heddleCommand],
    expect: [/^\{"paintCpuMs"/],
    requests: null,
    tellsItself: true,
  },
  {
    name: 'terminal-long',
    heddle: [node, file('terminal-long.mjs'), ...heddleCommand],
    expect: [/^\{"longRssMiB"/],
    requests: null,
    tellsItself: true,
    once: true,
  },
  {
    name: 'terminal-lists',
    heddle: [node, file('terminal-lists.mjs'), ...heddleCommand],
    expect: [/^\{"sessionsMs"/],
    requests: null,
    tellsItself: true,
    once: true,
  },
  {
    name: 'attach',
    heddle: [node, file('attach.mjs'), ...heddleCommand],
    expect: [/^\{"joinMs"/],
    requests: null,
    tellsItself: true,
    once: true,
  },
  {
    name: 'growth',
    heddle: [node, file('growth.mjs'), ...heddleCommand],
    expect: [/^\{"growth"/],
    requests: null,
    tellsItself: true,
    once: true,
  },
  { name: 'sdk-hello', heddle: [node, file('sdk-hello.mjs')], expect: [/"result":"Hello"/], requests: 1 },
];
