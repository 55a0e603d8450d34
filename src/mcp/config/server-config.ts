import { isObject, isTexts, type JsonObject, stringField } from '../../util/json.ts';
import { slipOf } from '../../util/text/nearest.ts';

/** How a server is reached, according to its configuration. */
export type ServerConfig = StdioConfig | RemoteConfig | SdkConfig;

interface CommonConfig {
  /** How long a call may take, in milliseconds; replaces the limit for all servers. */
  timeoutMs?: number;
  /** Its tools are never left out of requests. */
  alwaysLoad: boolean;
}

/** A program on this machine. */
export interface StdioConfig extends CommonConfig {
  type: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** A server on the network. */
export interface RemoteConfig extends CommonConfig {
  type: 'http' | 'sse';
  url: string;
  headers: Record<string, string>;
}

/** A server inside the host's process. */
export interface SdkConfig extends CommonConfig {
  type: 'sdk';
}

/** Other names that configurations use for these types. */
const OTHER_NAMES = new Map([
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
]);

/** Reads a server's configuration. Throws an Error that says what is wrong with it. */
export function readServerConfig(given: JsonObject): ServerConfig {
  const { timeout } = given;
  const isTime = typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0;
  if (timeout !== undefined && !isTime) throw new Error('timeout must be a number of milliseconds above 0');
  const common: CommonConfig = { ...(isTime && { timeoutMs: timeout }), alwaysLoad: given.alwaysLoad === true };
  const type = typeOf(given);
  switch (type) {
    case 'sdk':
      return { type, ...common };
    case 'stdio':
      return { type, command: commandOf(given), args: argsOf(given), env: textsOf(given, 'env'), ...common };
    case 'http':
    case 'sse':
      return { type, url: urlOf(given), headers: headersOf(given), ...common };
    default:
      throw new Error(`servers of the type ${type} are not supported`);
  }
}

/** The written type, or the type that the other fields imply. */
export function typeOf(given: JsonObject): string {
  const type = stringField(given, 'type');
  if (type !== undefined) return OTHER_NAMES.get(type) ?? type;
  return given.command === undefined && given.url !== undefined ? 'http' : 'stdio';
}

/**
 * A configuration as other people may see it: as written, so that the values of variables stay out of it, and without
 * the environment and the headers, which hold the secrets.
 */
export function shownConfig(name: string, given: JsonObject): JsonObject {
  const type = typeOf(given);
  if (type === 'sdk') return { type, name };
  if (type === 'stdio') return { type, command: given.command, args: given.args ?? [] };
  const { url } = given;
  return { type, ...(typeof url === 'string' && { url: url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1') }) };
}

function commandOf({ command, ...others }: JsonObject): string {
  if (typeof command === 'string' && command !== '') return command;
  const seen = Object.keys(others).find((key) => slipOf(key, ['command', 'url']) !== null);
  const hint = seen === undefined ? '' : `; it has '${seen}', did you mean '${slipOf(seen, ['command', 'url'])}'?`;
  throw new Error(`it needs a command (or a url and a type)${hint}`);
}

function argsOf({ args = [] }: JsonObject): string[] {
  if (isTexts(args)) return args;
  throw new Error('args must be a list of texts');
}

function urlOf({ url }: JsonObject): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new Error('it needs a url that begins with http:// or https://');
  }
  // No request can be sent to such an address, and a later error would show the password.
  if (parsed.username !== '' || parsed.password !== '') {
    throw new Error('its url holds a name or a password: put them into headers, as Authorization');
  }
  return parsed.href;
}

/** Checked here: a later error would show the header values, which are secret. */
function headersOf(given: JsonObject): Record<string, string> {
  const headers = textsOf(given, 'headers');
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new Error(
        `the header ${JSON.stringify(name)} cannot be sent: its name or value has characters that none may have`,
      );
    }
  }
  return headers;
}

/** Environments often hold numbers and booleans, and each has only one text form. */
function textsOf(given: JsonObject, key: 'env' | 'headers'): Record<string, string> {
  const { [key]: values = {} } = given;
  const isText = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  if (!isObject(values) || !Object.values(values).every(isText)) throw new Error(`${key} must be an object of texts`);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
