import { isObject, isTexts, type JsonObject } from '../../util/json.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ForeignSandboxSettings, SandboxSettings } from '../../wire/sandbox-settings.ts';

/** The `sandbox` setting, with every default filled in. */
export interface SandboxRules {
  readonly enabled: boolean;
  /** Commands that run inside need no permission. */
  readonly autoAllow: boolean;
  readonly excludedCommands: readonly string[];
  /** The model may ask to run a command outside. */
  readonly mayLeave: boolean;
  /** The session does not start without a sandbox. */
  readonly isRequired: boolean;
  readonly isWeaker: boolean;
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly allowUnixSockets: readonly string[];
    readonly allowAllUnixSockets: boolean;
    readonly allowLocalBinding: boolean;
    readonly httpProxyPort?: number;
    readonly socksProxyPort?: number;
  };
  readonly filesystem: {
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
    readonly denyRead: readonly string[];
  };
  readonly ignoreViolations: Readonly<Record<string, readonly string[]>>;
}

/**
 * Reads the `sandbox` setting. Throws `invalid_settings` for a value of the wrong kind, because an ignored value might
 * have closed something. Calls `onUnknown` with each unknown key and the likely intended one.
 */
export function readSandboxRules(values: JsonObject, onUnknown: OnUnknown): SandboxRules {
  check(values, SHAPE, 'sandbox', onUnknown);
  const given = values as SandboxSettings;
  const { network = {}, filesystem = {} } = given;
  return {
    enabled: given.enabled ?? false,
    autoAllow: given.autoAllowBashIfSandboxed ?? true,
    excludedCommands: given.excludedCommands ?? [],
    mayLeave: given.allowUnsandboxedCommands ?? false,
    isRequired: given.failIfUnavailable ?? true,
    isWeaker: given.enableWeakerNestedSandbox ?? false,
    network: {
      ...network,
      allowedDomains: network.allowedDomains ?? [],
      deniedDomains: network.deniedDomains ?? [],
      allowUnixSockets: network.allowUnixSockets ?? [],
      allowAllUnixSockets: network.allowAllUnixSockets ?? false,
      allowLocalBinding: network.allowLocalBinding ?? false,
    },
    filesystem: {
      allowWrite: plainPaths(filesystem.allowWrite),
      denyWrite: plainPaths(filesystem.denyWrite),
      denyRead: plainPaths(filesystem.denyRead),
    },
    ignoreViolations: given.ignoreViolations ?? {},
  };
}

type OnUnknown = (key: string, meant: string | null) => void;
type Kind = 'switch' | 'texts' | 'paths' | 'port' | 'lists';
interface Shape {
  readonly [key: string]: Kind | Shape;
}

const SHAPE: Shape & Record<Exclude<keyof SandboxSettings, keyof ForeignSandboxSettings>, Kind | Shape> = {
  enabled: 'switch',
  autoAllowBashIfSandboxed: 'switch',
  excludedCommands: 'texts',
  allowUnsandboxedCommands: 'switch',
  failIfUnavailable: 'switch',
  enableWeakerNestedSandbox: 'switch',
  network: {
    allowedDomains: 'texts',
    deniedDomains: 'texts',
    allowUnixSockets: 'texts',
    allowAllUnixSockets: 'switch',
    allowLocalBinding: 'switch',
    httpProxyPort: 'port',
    socksProxyPort: 'port',
  },
  filesystem: { allowWrite: 'paths', denyWrite: 'paths', denyRead: 'paths' },
  ignoreViolations: 'lists',
};

const SAID: Record<Kind, string> = {
  switch: 'true or false',
  texts: 'a list of texts',
  paths: 'a list of paths; a directory means everything below it, and no other patterns are understood',
  port: 'a port from 1 to 65535',
  lists: 'an object of lists of texts',
};

function check(values: JsonObject, shape: Shape, where: string, onUnknown: OnUnknown): void {
  for (const [key, value] of Object.entries(values)) {
    const wanted = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (value === undefined) continue;
    if (wanted === undefined) onUnknown(`${where}.${key}`, nearestWord(key, Object.keys(shape)));
    else if (typeof wanted === 'string')
      refuseUnless(isOfKind(value, wanted), `${where}.${key}`, saidOf(wanted, value));
    else if (isObject(value)) check(value, wanted, `${where}.${key}`, onUnknown);
    else refuseUnless(false, `${where}.${key}`, 'an object');
  }
}

/** The wanted kind of value, for the error text; for a list of paths, also the invalid path. */
function saidOf(kind: Kind, value: unknown): string {
  const odd = kind === 'paths' && isTexts(value) ? value.find((path) => !isPath(path)) : undefined;
  return odd === undefined ? SAID[kind] : `${SAID[kind]}: not '${odd}'`;
}

function refuseUnless(isRight: boolean, key: string, wanted: string): void {
  if (!isRight) throw new HeddleError('invalid_settings', `Settings: ${key} must be ${wanted}`, { facts: { key } });
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'switch':
      return typeof value === 'boolean';
    case 'texts':
      return isTexts(value);
    case 'paths':
      return isTexts(value) && value.every(isPath);
    case 'port':
      return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
    case 'lists':
      return isObject(value) && Object.values(value).every(isTexts);
  }
}

function isPath(path: string): boolean {
  return path !== '' && !/[*?[\]{}\0]/.test(withoutStars(path));
}

function plainPaths(paths: readonly string[] | undefined): string[] {
  return (paths ?? []).map(withoutStars);
}

/** `dir/**` means the same as `dir`. */
function withoutStars(path: string): string {
  return path.replace(/(?<=.)\/\*\*$/, '');
}
