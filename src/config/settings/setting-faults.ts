import { isObject, isTexts, type JsonObject } from '../../util/json.ts';
import { formatKey } from './setting-key.ts';

/** A value that cannot be used. */
export interface SettingFault {
  /** The position: names in objects, indexes in lists. */
  path: readonly (string | number)[];
  /** The problem, as it is printed after the key: `must be a text`. */
  problem: string;
  /** The setting forbids something: a run without it would be less restricted than the user wants. */
  forbids: boolean;
}

/** `permissions.allow[2] must be a rule`. */
export function faultText({ path, problem }: SettingFault): string {
  const names = path.filter((step) => typeof step === 'string');
  const place = path.filter((step) => typeof step === 'number').map((step) => `[${step}]`);
  return `${formatKey(names)}${place.join('')}${problem.startsWith(':') ? '' : ' '}${problem}`;
}

/** The settings without the invalid values: in a list or an object, only without the invalid items. */
export function withoutFaults(values: JsonObject, faults: readonly SettingFault[]): JsonObject {
  if (faults.length === 0) return values;
  return without(
    values,
    faults.map(({ path }) => path),
  ) as JsonObject;
}

type Path = SettingFault['path'];

function without(value: unknown, paths: readonly Path[]): unknown {
  const byFirst = new Map<string | number | undefined, Path[]>();
  for (const [first, ...rest] of paths) {
    const same = byFirst.get(first);
    if (same) same.push(rest);
    else byFirst.set(first, [rest]);
  }
  const keep = <Key extends string | number>(key: Key, inner: unknown): [Key, unknown][] => {
    const below = byFirst.get(key) ?? [];
    if (below.some((path) => path.length === 0)) return [];
    return [[key, below.length === 0 ? inner : without(inner, below)]];
  };
  if (Array.isArray(value)) return value.flatMap((item, at) => keep(at, item).map(([, kept]) => kept));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => keep(key, inner)));
}

type Kind =
  | 'text'
  | 'switch'
  | 'object'
  | 'texts'
  | 'rules'
  | 'objects'
  | 'scalars'
  | 'disable'
  | 'enforcement'
  | 'channel'
  | 'blanks'
  | 'seconds';

/** The supported settings. */
export const KINDS: Readonly<Record<string, Kind>> = {
  permissions: 'object',
  env: 'scalars',
  model: 'text',
  fallbackModel: 'text',
  effortLevel: 'text',
  apiKeyHelper: 'text',
  awsAuthRefresh: 'text',
  awsCredentialExport: 'text',
  gcpAuthRefresh: 'text',
  autoCompactEnabled: 'switch',
  fileCheckpointingEnabled: 'switch',
  modelAliases: 'object',
  modelLimits: 'object',
  modelProviders: 'object',
  modelPricing: 'object',
  modelOverrides: 'object',
  modelCatalog: 'switch',
  sandbox: 'object',
  hooks: 'object',
  disableAllHooks: 'switch',
  allowManagedHooksOnly: 'switch',
  outputStyle: 'text',
  terminal: 'object',
  editorMode: 'text',
  vimInsertModeRemaps: 'object',
  axScreenReader: 'switch',
  statusLine: 'object',
  theme: 'text',
  preferredNotifChannel: 'channel',
  prefersReducedMotion: 'switch',
  terminalProgressBarEnabled: 'switch',
  claudeMdExcludes: 'texts',
  allowMcpSampling: 'texts',
  enabledPlugins: 'object',
  extraKnownMarketplaces: 'object',
  pluginConfigs: 'object',
  enableAllProjectMcpServers: 'switch',
  enabledMcpjsonServers: 'texts',
  disabledMcpjsonServers: 'texts',
  allowedMcpServers: 'objects',
  deniedMcpServers: 'objects',
};

export const PERMISSION_KINDS: Readonly<Record<string, Kind>> = {
  allow: 'rules',
  deny: 'rules',
  ask: 'rules',
  additionalDirectories: 'texts',
  defaultMode: 'text',
  disableBypassPermissionsMode: 'disable',
  enforcement: 'enforcement',
  askForCiFiles: 'switch',
};

/** The settings of `statusLine`; its type is checked with it. */
const STATUS_LINE_KINDS: Readonly<Record<string, Kind>> = {
  command: 'text',
  padding: 'blanks',
  refreshInterval: 'seconds',
  hideVimModeIndicator: 'switch',
};

/** How the terminal may tell the user that something waits, in the reference's words. */
export const NOTIFICATION_CHANNELS = [
  ...['auto', 'iterm2', 'iterm2_with_bell', 'kitty', 'ghostty', 'terminal_bell', 'notifications_disabled'],
];

/** Without one of these a run could do what the user wants to forbid. `permissions` may contain deny rules. */
const FORBIDDING: ReadonlySet<string> = new Set([
  ...['permissions', 'deny', 'ask', 'disableBypassPermissionsMode', 'enforcement', 'askForCiFiles', 'sandbox'],
  ...['disableAllHooks', 'allowManagedHooksOnly'],
  ...['allowedMcpServers', 'deniedMcpServers', 'disabledMcpjsonServers'],
]);

const SAID: Readonly<Record<Kind, string>> = {
  text: 'a text',
  switch: 'true or false',
  object: 'an object',
  texts: 'a list of texts',
  rules: 'a list of texts, none of them empty',
  objects: 'a list of objects',
  scalars: 'an object of texts',
  disable: '"disable"',
  enforcement: '"auto", "kernel" or "parse"',
  channel: NOTIFICATION_CHANNELS.map((name) => JSON.stringify(name)).join(', '),
  blanks: 'a whole number from 0 to 40',
  seconds: 'a number of seconds, 1 or more',
};

/** The values of the wrong kind. In `env`, and in a list that forbids nothing, only the invalid items. */
export function kindFaults(values: JsonObject): SettingFault[] {
  const permissions = isObject(values.permissions) ? values.permissions : {};
  return [
    ...faultsOf(values, KINDS, []),
    ...faultsOf(permissions, PERMISSION_KINDS, ['permissions']),
    ...statusLineFaults(values.statusLine),
  ];
}

/** A status line of another type is left out as a whole: its command may be none. */
function statusLineFaults(value: unknown): SettingFault[] {
  if (!isObject(value)) return [];
  if (value.type !== undefined && value.type !== 'command') {
    return [{ path: ['statusLine'], problem: 'must have the type "command"', forbids: false }];
  }
  return faultsOf(value, STATUS_LINE_KINDS, ['statusLine']);
}

function faultsOf(values: JsonObject, kinds: Readonly<Record<string, Kind>>, above: readonly string[]): SettingFault[] {
  return Object.entries(kinds).flatMap(([key, kind]) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined || isOfKind(value, kind)) return [];
    const path = [...above, key];
    if (!FORBIDDING.has(key)) {
      const items = itemFaults(value, kind, path);
      if (items.length > 0) return items;
    }
    return [{ path, problem: `must be ${SAID[kind]}, and is ${shown(value)}`, forbids: FORBIDDING.has(key) }];
  });
}

function itemFaults(value: unknown, kind: Kind, path: readonly string[]): SettingFault[] {
  const isList = Array.isArray(value) && (kind === 'texts' || kind === 'rules');
  if (isList) return value.flatMap((item, at) => itemFault([...path, at], item, kind === 'rules' ? 'rule' : 'text'));
  if (kind !== 'scalars' || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => itemFault([...path, name], item, 'scalar'));
}

function itemFault(path: Path, item: unknown, kind: 'text' | 'rule' | 'scalar'): SettingFault[] {
  const isRight = kind === 'scalar' ? isScalar(item) : kind === 'rule' ? isRuleText(item) : typeof item === 'string';
  const must = kind === 'rule' ? 'a rule, such as "Bash(git log:*)"' : 'a text';
  return isRight ? [] : [{ path, problem: `must be ${must}, and is ${shown(item)}`, forbids: false }];
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'switch':
      return typeof value === 'boolean';
    case 'object':
      return isObject(value);
    case 'texts':
      return isTexts(value);
    case 'rules':
      return Array.isArray(value) && value.every(isRuleText);
    case 'objects':
      return Array.isArray(value) && value.every(isObject);
    case 'scalars':
      return isObject(value) && Object.values(value).every(isScalar);
    case 'disable':
      return value === 'disable';
    case 'enforcement':
      return value === 'auto' || value === 'kernel' || value === 'parse';
    case 'channel':
      return NOTIFICATION_CHANNELS.some((name) => name === value);
    case 'blanks':
      return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 40;
    case 'seconds':
      return Number.isFinite(value) && (value as number) >= 1;
  }
}

function isRuleText(value: unknown): boolean {
  return typeof value === 'string' && /[^\s,]/.test(value);
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Shows only the kind of a text, because it may be a credential in the wrong place. */
function shown(value: unknown): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return 'a text';
  if (Array.isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : String(value);
}
