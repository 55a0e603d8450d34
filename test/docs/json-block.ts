import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isActedOn, readSettings } from '../../src/config/settings/settings.ts';
import { parseSettings } from '../../src/config/settings/settings-file.ts';
import { readHooks } from '../../src/hooks/read-hooks.ts';
import { expandConfig } from '../../src/mcp/config/expand-config.ts';
import { readMcpConfig } from '../../src/mcp/config/read-config.ts';
import { readServerConfig } from '../../src/mcp/config/server-config.ts';
import { readKeybindings } from '../../src/tui/focus/keymap.ts';
import { decodeSequence } from '../../src/tui/input/decode-sequence.ts';
import { readTheme } from '../../src/tui/look/theme-files.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { messageOf } from '../../src/util/message-of.ts';
import { parseCliRequest, parseHostRequest } from '../../src/wire/index.ts';
import { ROOT } from '../support/root.ts';
import type { Block } from './blocks.ts';
import {
  tryAsAcpClient,
  tryAsEntries,
  tryAsHostLines,
  tryAsLease,
  tryAsMails,
  tryAsModelLimits,
  tryAsServers,
  tryAsSettings,
  tryAsTask,
} from './json-runs.ts';
import type { Project } from './project.ts';

/**
 * The comment before a block of JSON says what it is; it is read by what reads such a thing, and tried. With `because` it
 * is only read.
 */
export async function checkJson(block: Block, project: Project): Promise<string | null> {
  const kind = Object.keys(KINDS).find((each) => block.notes.has(each));
  const { read, attempt } = (kind !== undefined && KINDS[kind]) || NO_KIND;
  try {
    return (await read(block)) ?? (block.notes.has('because') ? null : await attempt(block, project));
  } catch (error) {
    return messageOf(error);
  }
}

interface Kind {
  /** Resolves with what its reader says against it, or null. */
  read(block: Block): string | null | Promise<string | null>;
  attempt(block: Block, project: Project): string | null | Promise<string | null>;
}

const KINDS: Readonly<Record<string, Kind>> = {
  settings: { read: ({ code }) => settingsProblem(code), attempt: tryAsSettings },
  mcp: { read: ({ code }) => serversProblem(code), attempt: tryAsServers },
  wire: {
    read: ({ code }) => linesProblem(code, isWireLine()),
    // Those of the reference are all said in wire-exchange.test.ts, at once.
    attempt: (block, project) => (block.page === 'docs/reference/wire.md' ? null : tryAsHostLines(block, project)),
  },
  entries: {
    read: ({ code }) => linesProblem(code, validator('entries', '')),
    attempt: (block, project) => (block.page === 'docs/reference/wire.md' ? null : tryAsEntries(block, project)),
  },
  'part-of': {
    read: ({ code, notes }) => partProblem(code, notes.get('part-of') ?? ''),
    attempt: (block, project) =>
      block.notes.get('part-of')?.startsWith('entries/') ? tryAsEntries(block, project) : UNTRIED,
  },
  'model-limits': { read: ({ code }) => parseProblem(code), attempt: tryAsModelLimits },
  lease: { read: ({ code }) => parseProblem(code), attempt: tryAsLease },
  task: { read: ({ code }) => parseProblem(code), attempt: tryAsTask },
  theme: { read: themeProblem, attempt: () => null },
  keybindings: { read: ({ code }) => readKeybindings(code).problems.join('; ') || null, attempt: () => null },
  'vscode-settings': { read: skippedCommandsProblem, attempt: () => null },
  'vscode-keys': { read: sentKeysProblem, attempt: () => null },
  'acp-client': { read: ({ code }) => parseProblem(code), attempt: tryAsAcpClient },
  mails: { read: ({ code }) => parseProblem(code), attempt: tryAsMails },
};

/** Words that the comment before a block of JSON may use. */
export const JSON_NOTES: readonly string[] = [...Object.keys(KINDS), 'warns'];

const UNTRIED = 'nobody tries it: its comment must say why (because=)';
const NO_KIND: Kind = { read: ({ code }) => parseProblem(code), attempt: () => UNTRIED };

function parseProblem(code: string): null {
  JSON.parse(code);
  return null;
}

/** Settings that are read without a word, all of which act. */
function settingsProblem(code: string): string | null {
  const values = parseSettings(code, 'the block');
  readSettings([{ scope: 'userSettings', path: null, values }]);
  const idle = Object.keys(values).filter((key) => !isActedOn([key]));
  if (idle.length > 0) return `settings that nothing acts on: ${idle.join(', ')}`;
  if (values.hooks === undefined) return null;
  return readHooks(values.hooks, { scope: 'userSettings', where: 'the block' }).problems.join('; ') || null;
}

async function serversProblem(code: string): Promise<string | null> {
  for (const server of (await readMcpConfig([code], '/')).values()) readServerConfig(expanded(server));
  return null;
}

/** Variables without a default are the user's. */
function expanded(server: JsonObject): JsonObject {
  const names = [...JSON.stringify(server).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name, 'given']);
  return expandConfig(server, Object.fromEntries(names));
}

function linesProblem(code: string, accepts: (value: unknown) => boolean): string | null {
  const lines = code.trim().split('\n');
  const odd = lines.find((line) => !accepts(JSON.parse(line)));
  return odd === undefined ? null : `not in schema/: ${odd}`;
}

/** A message or a control line; a request must be one that there is. */
function isWireLine(): (value: unknown) => boolean {
  const [isMessage, isControl] = [validator('messages', ''), validator('control', '')];
  return (value) => {
    if (!isObject(value) || value.type !== 'control_request') return isMessage(value) || isControl(value);
    return isControl(value) && (parseHostRequest(value.request).ok || parseCliRequest(value.request).ok);
  };
}

/** `messages/SystemInitMessage`: each field is as that definition says. */
function partProblem(code: string, definition: string): string | null {
  const [schema = '', name = ''] = definition.split('/');
  const fields: unknown = JSON.parse(code);
  if (!isObject(fields)) return 'not an object';
  const wrong = Object.entries(fields).filter(
    ([field, value]) => !validator(schema, `#/$defs/${name}/properties/${field}`)(value),
  );
  return wrong.length === 0 ? null : `not as ${definition} says: ${wrong.map(([field]) => field).join(', ')}`;
}

const ajv = new Ajv2020({ strict: false });

/** The library keeps what it has compiled. */
function validator(schema: string, pointer: string): (value: unknown) => boolean {
  if (!ajv.schemas[schema]) {
    ajv.addSchema(JSON.parse(readFileSync(join(ROOT, `schema/${schema}.json`), 'utf8')), schema);
  }
  const validate = ajv.getSchema(`${schema}${pointer}`);
  if (!validate) throw new Error(`schema/${schema}.json has no ${pointer}`);
  return (value) => validate(value) === true;
}

function themeProblem({ code }: { code: string }): string | null {
  const problems: string[] = [];
  readTheme(code, (problem) => problems.push(problem));
  return problems.join('; ') || null;
}

/** Settings of VS Code: commands that leave their keys to the terminal. */
function skippedCommandsProblem({ code }: Block): string | null {
  const settings: unknown = JSON.parse(code);
  const names = isObject(settings) ? Object.keys(settings) : [];
  const wrong = names.filter((name) => !name.startsWith('terminal.integrated.'));
  const skipped = isObject(settings) ? settings['terminal.integrated.commandsToSkipShell'] : undefined;
  const commands = Array.isArray(skipped) ? skipped.map(String) : [];
  if (wrong.length > 0 || names.length === 0) return `no settings of its terminal: ${wrong.join(', ')}`;
  return commands.every((name) => name.startsWith('-workbench.')) ? null : 'a command is not taken away';
}

/** Keys of VS Code that send bytes: the terminal reads them as the key that they are bound to. */
function sentKeysProblem({ code }: Block): string | null {
  const rows: unknown = JSON.parse(code);
  if (!Array.isArray(rows) || rows.length === 0) return 'no list of keys';
  const wrong = rows.filter(isObject).filter(({ key, command, args }) => {
    const read = decodeSequence(String(isObject(args) ? args.text : ''));
    return command !== 'workbench.action.terminal.sendSequence' || read?.type !== 'key' || read.key !== key;
  });
  return wrong.length === 0 ? null : `the terminal reads another key: ${JSON.stringify(wrong)}`;
}
