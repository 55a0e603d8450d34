// What is run: each workload is done by the floor and by Heddle with the same arguments against the same model.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const file = (name) => path.join(here, name);
const node = process.execPath;

export const floorCommand = [node, file('floor/agent.cjs')];
export const heddleCommand = [node, path.join(here, '../dist/cli.js')];

const print = (scenario, ...flags) => [
  ...['-p', `go @scenario:${scenario}`, '--output-format', 'stream-json', '--verbose'],
  ...['--allowedTools', 'Bash', ...flags],
];

const eightOutputs = Array.from({ length: 8 }, (_, i) => new RegExp(`"content":"p${i}(\\\\n)?"`));

/**
 * `expect` is what the output must hold; `requests` is how many model calls the work needs: one more would be a call on
 * the side. `needsSessions`: it is about a home with 5,000 sessions of 100 KB.
 */
export const workloads = [
  { name: 'version', args: ['--version'], expect: [/\d+\.\d+\.\d+/] },
  { name: 'hello', args: print('hello'), expect: [/"result":"Hello"/], requests: 1 },
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
    heddle: [node, file('sdk-list.mjs')],
    expect: [/^listed 5000$/],
    needsSessions: true,
  },
  {
    name: 'list20',
    heddle: [node, file('sdk-list.mjs'), '20'],
    expect: [/^listed 20$/],
    needsSessions: true,
  },
  { name: 'sdk-hello', heddle: [node, file('sdk-hello.mjs')], expect: [/"result":"Hello"/], requests: 1 },
];
