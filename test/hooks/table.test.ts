import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.ts';
import { type Client, createHouse, type House } from '../host/support.ts';
import type { Kind } from './support.ts';
import { ANSWERS, CALLBACK_ENDS, COMMAND_ENDS, type Table } from './table.ts';
import { answersFor, callbackResponse, commandFor, SAID } from './table-answers.ts';
import { OTHER_INPUT, SCENES, type Scene } from './table-scenes.ts';

describe('[HK-01, K18] every event with every answer of a command', () => {
  test.each(Object.entries(SCENES))('%s', (name, scene) => check('command', scene, rowOf(name, COMMAND_ENDS)));
});

describe('[HK-01, K18] every event with every answer of a callback', () => {
  test.each(Object.entries(SCENES))('%s', (name, scene) => {
    const row = Object.entries(rowOf(name, CALLBACK_ENDS));
    return check('callback', scene, Object.fromEntries(row.map(([answer, cell]) => [answer, withoutOutput(cell)])));
  });
});

test('the tables have a row for every scene, and no other', () => {
  for (const table of [ANSWERS, COMMAND_ENDS, CALLBACK_ENDS]) expect([...table.keys()]).toEqual(Object.keys(SCENES));
});

function rowOf(name: string, ends: Table): Record<string, string> {
  return { ...ends.get(name), ...ANSWERS.get(name) };
}

function withoutOutput(cell: string): string {
  return cell.replace('h', '') || '.';
}

/** Plays the scene once for every answer, all at the same time. */
async function check(kind: Kind, scene: Scene, expected: Record<string, string>): Promise<void> {
  const cells = Object.entries(expected).map(async ([answer, letters]) => {
    const found = await outcomeOf(kind, scene, answer);
    return found === letters ? [] : [`${answer}: ${found} in the place of ${letters}`];
  });
  expect((await Promise.all(cells)).flat()).toEqual([]);
}

async function outcomeOf(kind: Kind, scene: Scene, answer: string): Promise<string> {
  const house = createHouse(scene.script);
  const client = await enter(kind, scene, answer, house);
  await (scene.play ?? twoPrompts)(client, house);
  const effects = {
    '-': scene.happened?.(house, client) === false,
    '?': client.of('control_request/can_use_tool').length > 0,
    i: existsSync(join(house.dir, 'other')),
    d: client.results.some(({ terminal_reason }) => terminal_reason === 'tool_deferred'),
    m: house.model.requests.some(({ messages }) => JSON.stringify(messages).includes(SAID)),
    n: client
      .of('system/informational')
      .some(({ content, level }) => level === 'notice' && String(content).includes(SAID)),
    w: house.logs.some(({ level, message }) => level === 'warn' && /^The \S+ hook \[/.test(message)),
    h: isHidden(kind, answer, client),
    '!': client.results.some(({ terminal_reason }) => terminal_reason === 'hook_stopped'),
  };
  return Object.entries(effects).reduce((letters, [letter, isSo]) => (isSo ? letters + letter : letters), '') || '.';
}

async function enter(kind: Kind, scene: Scene, answer: string, house: House): Promise<Client> {
  const { event, hostSays = 'allow', env } = scene;
  const values = answersFor(event, OTHER_INPUT);
  const config = { includeHookEvents: true, permissionPromptTool: 'stdio', ...scene.config };
  const launch = env ? { env: { HOME: join(house.dir, '..'), PATH: process.env.PATH, ...env } } : {};
  const permission = hostSays === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message: 'The host says no' };
  const respond = (request: JsonObject) => {
    if (request.subtype !== 'hook_callback') return permission;
    const response = callbackResponse(answer, values);
    const asked = client.lines.find((line) => line.request === request);
    if (response) client.send({ type: 'control_response', response: { ...response, request_id: asked?.request_id } });
    return undefined;
  };
  if (kind === 'command') {
    const hooks = { [event]: [{ hooks: [commandFor(answer, values, join(house.dir, '..'))] }] };
    return house.connect({ ...config, settings: JSON.stringify({ hooks }) }, { ...launch, answer: () => permission });
  }
  const client: Client = house.connect(config, { ...launch, answer: respond });
  const timeout = answer === 'slow' ? { timeout: 0.3 } : {};
  await client.control({ subtype: 'initialize', hooks: { [event]: [{ hookCallbackIds: ['hook_0'], ...timeout }] } });
  return client;
}

async function twoPrompts(client: Client): Promise<void> {
  await client.ask('first prompt');
  await client.ask('second prompt');
}

/** Every other answer of a command is shown as it was printed. */
function isHidden(kind: Kind, answer: string, client: Client): boolean {
  if (kind === 'callback' || answer !== 'quiet') return false;
  return client.of('system/hook_response').some(({ stdout }) => stdout === '');
}
