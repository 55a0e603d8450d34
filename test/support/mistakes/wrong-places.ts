import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sdk } from '../built.ts';
import { ask, type Mistake } from './mistake.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const failed = (text: string) => `throws process_failed: Process failed with exit code 1\n${text}`;

/** Bad files, places that cannot be used, and names that only the agent knows. */
export const WRONG_PLACES: Mistake[] = [
  {
    what: 'a directory that is not there',
    make: (place) => ask(place, { cwd: join(place.root, 'gone') }),
    told: ['throws invalid_option: options.cwd does not exist: ROOT/gone'],
  },
  {
    what: 'a file as the directory',
    make: (place) => ask(place, { cwd: fileIn(place.root, 'notes.txt') }),
    told: ['throws invalid_option: options.cwd is no directory: ROOT/notes.txt'],
  },
  {
    what: 'a further directory that is not there',
    make: (place) => ask(place, { additionalDirectories: [join(place.root, 'gone')] }),
    told: ['warns: --add-dir is not a directory: ROOT/gone. It was left out.'],
  },
  {
    what: 'an agent that is not there',
    make: (place) => ask(place, { pathToHeddleExecutable: join(place.root, 'heddle.cjs') }),
    told: [
      'throws cli_not_found: Heddle not found: ROOT/heddle.cjs (correct options.pathToHeddleExecutable, or leave it out)',
    ],
  },
  {
    what: 'an agent that may not be run',
    make: (place) => ask(place, { pathToHeddleExecutable: fileIn(place.root, 'heddle') }),
    told: [
      'throws connection_failed: Connection error: ROOT/heddle may not be run: spawn ROOT/heddle EACCES. Make it executable (chmod +x), or correct options.pathToHeddleExecutable',
    ],
  },
  {
    what: 'a process of the program that is none',
    make: (place) => ask(place, { spawn: () => ({}) }),
    told: [
      'throws invalid_option: options.spawn must return a running process: stdin must be an object, got undefined',
    ],
  },
  {
    what: 'a transport that is none',
    make: (place) => ask(place, { transport: () => ({}) }),
    told: [
      'throws invalid_option: options.transport must return a Transport; it has no connect, write, readMessages, endInput, close, isReady. For an engine in this process: transport: inProcess(engine)',
    ],
  },
  {
    what: 'settings that are no JSON',
    make: (place) => ask(place, { settings: '{ model: "haiku" }' }),
    told: [
      failed(
        "Settings are not valid JSON (--settings, line 1, column 3): Expected property name or '}' in JSON at position 2",
      ),
    ],
  },
  {
    what: 'a settings file that is not there',
    make: (place) => ask(place, { settings: join(place.root, 'settings.json') }),
    told: [failed('Settings file not found: ROOT/settings.json (--settings takes JSON, or the path of a file)')],
  },
  {
    what: 'a misspelt setting',
    make: (place) => ask(place, { settings: { permission: { deny: ['Bash'] } } }),
    told: ['warns: The setting permission has no effect in this version and was ignored. Did you mean permissions?'],
  },
  {
    what: 'a setting of the wrong type',
    make: (place) => ask(place, { settings: { model: 7 } }),
    told: ['warns: --settings: model must be a text, and is 7. It was left out.'],
  },
  {
    what: 'a file of MCP servers that is not there',
    make: (place) => ask(place, { mcpServers: join(place.root, 'mcp.json') }),
    told: [
      failed(
        '--mcp-config: ROOT/mcp.json cannot be read: there is no such file or directory (it takes files, or JSON)',
      ),
    ],
  },
  {
    what: 'an MCP server that cannot be started',
    make: (place) => ask(place, { mcpServers: { loom: { command: 'no-such-loom' } } }),
    told: ['warns: The MCP server loom failed: Cannot start no-such-loom: no such program'],
  },
  {
    what: 'a plugin that is not there',
    make: (place) => ask(place, { plugins: [{ type: 'local', path: join(place.root, 'gone') }] }),
    told: ['warns: ROOT/gone: the plugin was left out: there is no such directory'],
  },
  {
    what: 'a rule that is none',
    make: (place) => ask(place, { allowedTools: ['Bash('] }),
    told: [failed("--allowedTools: 'Bash(' is no permission rule: its parenthesis is never closed.")],
  },
  {
    what: 'a tool that no agent has',
    make: (place) => ask(place, { tools: ['Terraform'] }),
    told: ['warns: --tools names Terraform, which does not exist here'],
  },
  {
    what: 'a rule for a tool that no agent has',
    make: (place) => ask(place, { disallowedTools: ['Terraform'] }),
    told: ['warns: The rule Terraform (--disallowedTools) matches nothing: there is no tool Terraform.'],
  },
  {
    what: 'an event that this version does not have',
    make: (place) => ask(place, { hooks: { HostWentAway: [{ hooks: [async () => ({})] }] } }),
    told: ['warns: the host: hooks.HostWentAway is no event of this version; its hooks are never called'],
  },
  {
    what: 'a canUseTool that rules make superfluous',
    make: (place) =>
      ask(place, { allowedTools: ['Bash'], canUseTool: async () => ({ behavior: 'deny', message: 'no' }) }),
    told: ['warns: canUseTool will not be asked about Bash: allow rules cover every call (--allowedTools)'],
  },
  {
    what: 'a misspelt model',
    make: (place) => ask(place, { model: 'sonet' }),
    told: [
      'warns: The context window of sonet is unknown; assuming 200,000 tokens. Did you mean --model sonnet?',
      'warns: No price is known for the model sonet: its cost is counted as 0 (modelPricing of the settings sets it)',
    ],
  },
  {
    what: 'a skill that is not there',
    make: (place) => ask(place, { skills: ['weave'] }),
    told: ['warns: skills names weave, and there is no such skill here'],
  },
  {
    what: 'another name for a tool that is not there',
    make: (place) => ask(place, { toolAliases: { Bash: 'shell' } }),
    told: ['warns: toolAliases: Bash is to be shell, and there is no such tool'],
  },
  {
    what: 'an agent that is not defined',
    make: (place) => ask(place, { agent: 'reviewer' }),
    told: ["result: --agent: No agent is called 'reviewer'. These exist: Bash, general-purpose, Explore, Plan"],
  },
  {
    what: 'a session that is not there',
    make: ({ home }) => sdk.getSessionMessages(UNKNOWN, { home }),
    told: [
      `throws session_not_found: No conversation found with session ID: ${UNKNOWN} (looked in ROOT/home/.heddle/projects). heddle sessions list --all shows those there are`,
    ],
  },
  {
    what: 'a file to debug into that cannot be written',
    make: (place) => ask(place, { debugFile: join(place.root, 'gone', 'log') }),
    told: [failed('--debug-file: ROOT/gone/log cannot be written: ENOENT: no such file or directory')],
  },
];

function fileIn(folder: string, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, 'text');
  return path;
}
