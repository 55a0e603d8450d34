import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { PermissionUpdate, PermissionUpdateDestination } from '../../../src/wire/permissions.ts';
import { type Client, createHouse, type House } from '../support.ts';

/** What becomes of a call that a host would refuse if it were asked. */
type Outcome = 'runs' | 'asked' | 'denied';

/** A kind of update, and a call for which it makes a difference. */
interface Kind {
  /** What stands in the destination before; `permissions.<key>` of a file. */
  prepared?: string[];
  update(paths: Paths): JsonObject;
  key: string;
  /** The value of that key afterwards. */
  kept: string | string[];
  probe: 'touch' | 'read' | 'readOutside' | 'write';
  before: Outcome;
  after: Outcome;
}

interface Paths {
  outside: string;
}

const OWN = 'Read(docs/**)'; // an allow rule that stands there anyway
const TOUCH = { toolName: 'Bash', ruleContent: 'touch:*' };
const SEEN = { toolName: 'Read', ruleContent: 'seen.txt' };
const OUTSIDE = '<outside>'; // replaced by the path of the test

const rules = (type: string, behavior: string, ...list: object[]) => ({ type, behavior, rules: list });

const KINDS: Record<string, Kind> = {
  'addRules allow': {
    update: () => rules('addRules', 'allow', TOUCH),
    ...{ key: 'allow', kept: [OWN, 'Bash(touch:*)'], probe: 'touch', before: 'asked', after: 'runs' },
  },
  'addRules deny': {
    update: () => rules('addRules', 'deny', TOUCH),
    ...{ key: 'deny', kept: ['Bash(touch:*)'], probe: 'touch', before: 'asked', after: 'denied' },
  },
  'addRules ask': {
    update: () => rules('addRules', 'ask', SEEN),
    ...{ key: 'ask', kept: ['Read(seen.txt)'], probe: 'read', before: 'runs', after: 'asked' },
  },
  'replaceRules allow': {
    prepared: ['Bash(touch:*)'],
    update: () => rules('replaceRules', 'allow', { toolName: 'Bash', ruleContent: 'mkdir:*' }),
    ...{ key: 'allow', kept: ['Bash(mkdir:*)'], probe: 'touch', before: 'runs', after: 'asked' },
  },
  'replaceRules deny': {
    prepared: ['Bash(touch:*)'],
    update: () => rules('replaceRules', 'deny', { toolName: 'Bash', ruleContent: 'mkdir:*' }),
    ...{ key: 'deny', kept: ['Bash(mkdir:*)'], probe: 'touch', before: 'denied', after: 'asked' },
  },
  'replaceRules ask': {
    prepared: ['Read(seen.txt)'],
    update: () => rules('replaceRules', 'ask', { toolName: 'WebFetch' }),
    ...{ key: 'ask', kept: ['WebFetch'], probe: 'read', before: 'asked', after: 'runs' },
  },
  'removeRules allow': {
    prepared: ['Bash(touch:*)'],
    update: () => rules('removeRules', 'allow', TOUCH),
    ...{ key: 'allow', kept: [OWN], probe: 'touch', before: 'runs', after: 'asked' },
  },
  'removeRules deny': {
    prepared: ['Bash(touch:*)'],
    update: () => rules('removeRules', 'deny', TOUCH),
    ...{ key: 'deny', kept: [], probe: 'touch', before: 'denied', after: 'asked' },
  },
  'removeRules ask': {
    prepared: ['Read(seen.txt)'],
    update: () => rules('removeRules', 'ask', SEEN),
    ...{ key: 'ask', kept: [], probe: 'read', before: 'asked', after: 'runs' },
  },
  setMode: {
    update: () => ({ type: 'setMode', mode: 'acceptEdits' }),
    ...{ key: 'defaultMode', kept: 'acceptEdits', probe: 'write', before: 'asked', after: 'runs' },
  },
  addDirectories: {
    update: ({ outside }) => ({ type: 'addDirectories', directories: [outside] }),
    ...{ key: 'additionalDirectories', kept: [OUTSIDE], probe: 'readOutside', before: 'asked', after: 'runs' },
  },
  removeDirectories: {
    prepared: [OUTSIDE],
    update: ({ outside }) => ({ type: 'removeDirectories', directories: [outside] }),
    ...{ key: 'additionalDirectories', kept: [], probe: 'readOutside', before: 'runs', after: 'asked' },
  },
};

const FILES = {
  userSettings: (house: House) => join(house.dir, '..', '.heddle', 'settings.json'),
  projectSettings: (house: House) => join(house.dir, '.claude', 'settings.json'),
  localSettings: (house: House) => join(house.dir, '.claude', 'settings.local.json'),
};
type FileScope = keyof typeof FILES;
const SCOPES = Object.keys(FILES) as FileScope[];
const isFile = (destination: string): destination is FileScope => Object.hasOwn(FILES, destination);

/** Of each settings file before: keys that this version does not know included. */
const BASE = {
  $schema: 'https://schema.invalid/settings.json',
  permissions: { allow: [OWN], other: { kept: true } },
  unknown: [1, { deep: null }],
  env: { SOME: 'value' },
};

const DESTINATIONS: PermissionUpdateDestination[] = [...SCOPES, 'session', 'cliArg'];
const CELLS = Object.entries(KINDS).flatMap(([name, kind]) =>
  DESTINATIONS.map((destination) => [name, destination, kind] as const),
);

test.each(CELLS)(
  '[PRM-03, PRM-14] %s for %s acts at once and is kept where it says',
  async (_name, destination, kind) => {
    const house = createHouse((_request, step) => CALLS[step]?.(kind, paths) ?? 'done');
    const paths = layOut(house);
    const onDisk = (key: string, value: unknown) => ({ ...BASE, permissions: { ...BASE.permissions, [key]: value } });
    const list = withOutside(kind.prepared, paths) as string[] | undefined;
    const prepared = kind.key === 'allow' ? [OWN, ...(list ?? [])] : list;
    for (const scope of SCOPES) {
      const hasMore = prepared !== undefined && scope === destination;
      put(FILES[scope](house), hasMore ? onDisk(kind.key, prepared) : BASE);
    }
    const before = SCOPES.map((scope) => readFileSync(FILES[scope](house), 'utf8'));

    const update = { ...kind.update(paths), destination } as PermissionUpdate;
    const updates: Record<string, PermissionUpdate[]> = {
      t0: list === undefined || isFile(destination) ? [] : [preparing(kind, list, destination)],
      t1: [update],
    };
    const client = house.connect(
      { permissionPromptTool: 'stdio', settingSources: ['user', 'project', 'local'] },
      {
        answer: ({ tool_use_id }) => {
          const updatedPermissions = updates[String(tool_use_id)];
          return updatedPermissions ? { behavior: 'allow', updatedPermissions } : { behavior: 'deny', message: 'no' };
        },
      },
    );
    await client.ask('first');
    await client.ask('second'); // the files are looked at again

    expect([outcomeOf(client, 'p0'), outcomeOf(client, 'p1'), outcomeOf(client, 'p2')]).toEqual([
      kind.before,
      kind.after,
      kind.after,
    ]);
    SCOPES.forEach((scope, at) => {
      const kept = onDisk(kind.key, withOutside(kind.kept, paths));
      expect(readFileSync(FILES[scope](house), 'utf8')).toBe(scope === destination ? textOf(kept) : before[at]);
    });
  },
);

/** Two calls that ask and carry updates with their answer; the probe before and after, and in the next turn. */
const CALLS: ((kind: Kind, paths: Paths) => ReturnType<typeof toolUse> | string)[] = [
  () => toolUse('Write', { file_path: 't0.txt', content: 'x' }, 't0'),
  (kind, paths) => probe(kind, paths, 'p0'),
  () => toolUse('Write', { file_path: 't1.txt', content: 'x' }, 't1'),
  (kind, paths) => probe(kind, paths, 'p1'),
  () => 'done',
  (kind, paths) => probe(kind, paths, 'p2'),
];

function probe({ probe: what }: Kind, { outside }: Paths, id: string) {
  switch (what) {
    case 'touch':
      return toolUse('Bash', { command: 'touch made' }, id);
    case 'read':
      return toolUse('Read', { file_path: 'seen.txt' }, id);
    case 'readOutside':
      return toolUse('Read', { file_path: join(outside, 'far.txt') }, id);
    case 'write':
      return toolUse('Write', { file_path: `${id}.txt`, content: 'x' }, id);
  }
}

function layOut(house: House): Paths {
  const outside = join(house.dir, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'far.txt'), 'far');
  house.file('seen.txt', 'seen');
  return { outside };
}

/** What is not in a file comes with an earlier update. */
function preparing({ key }: Kind, list: string[], destination: PermissionUpdateDestination): PermissionUpdate {
  if (key === 'additionalDirectories') return { type: 'addDirectories', directories: list, destination };
  const rule = key === 'ask' ? SEEN : TOUCH;
  return { type: 'addRules', behavior: key as 'allow', rules: [rule], destination };
}

function outcomeOf(client: Client, id: string): Outcome {
  const isAsked = client
    .of('control_request/can_use_tool')
    .some(({ request }) => (request as JsonObject).tool_use_id === id);
  if (isAsked) return 'asked';
  const denials = client.results.flatMap(({ permission_denials }) => permission_denials ?? []);
  return denials.some(({ tool_use_id }) => tool_use_id === id) ? 'denied' : 'runs';
}

function withOutside(value: string | string[] | undefined, { outside }: Paths): string | string[] | undefined {
  return Array.isArray(value) ? value.map((text) => text.replace(OUTSIDE, outside)) : value;
}

function put(path: string, values: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, textOf(values));
}

function textOf(values: unknown): string {
  return `${JSON.stringify(values, null, 2)}\n`;
}
