import type { Plugin } from '../config/extensions/plugins.ts';
import { changeJsonFile } from '../config/json-file.ts';
import { readJsonObject } from '../config/json-object.ts';
import { isObject, isTexts, type JsonObject, stringField } from '../util/json.ts';
import { pluginError } from './plugin-error.ts';

/** A value that a plugin asks its user for, as its manifest declares it. */
export interface AskedValue {
  key: string;
  type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  title: string;
  isRequired: boolean;
  /** It is stored apart from the settings, and only hooks and servers of the plugin get it. */
  isSensitive: boolean;
  otherwise: PluginValue | undefined;
}

export type PluginValue = string | number | boolean | readonly string[];

/** The values that a plugin asks for. `problems`: those of its manifest. */
export function askedValues({ manifest }: Pick<Plugin, 'manifest'>): { asked: AskedValue[]; problems: string[] } {
  const problems: string[] = [];
  const declared = isObject(manifest.userConfig) ? Object.entries(manifest.userConfig) : [];
  const asked = declared.flatMap(([key, value]): AskedValue[] => {
    const type = TYPES.find((each) => each === (stringField(value, 'type') ?? 'string'));
    if (!/^[A-Za-z_]\w*$/.test(key) || !isObject(value) || !type) {
      problems.push(`userConfig.${key} cannot be used: a name, and a type of ${TYPES.join(', ')}`);
      return [];
    }
    const { title, required, sensitive, default: otherwise } = value;
    return [
      {
        key,
        type,
        title: typeof title === 'string' ? title : key,
        isRequired: required === true,
        isSensitive: sensitive === true,
        otherwise: isValue(otherwise) ? otherwise : undefined,
      },
    ];
  });
  return { asked, problems };
}

const TYPES = ['string', 'number', 'boolean', 'directory', 'file'] as const;

/** A value that a person typed. Throws `plugin_failed` when the plugin does not ask for it, or for another type. */
export function typedValue(asked: readonly AskedValue[], text: string): { ask: AskedValue; value: PluginValue } {
  const at = text.indexOf('=');
  const key = at < 0 ? text : text.slice(0, at);
  const ask = asked.find((each) => each.key === key);
  const keys = asked.map((each) => each.key).join(', ') || 'none';
  if (!ask) throw pluginError(`The plugin does not ask for ${key} (it asks for: ${keys})`);
  if (at < 0) throw pluginError(`Give the value as ${key}=VALUE`);
  const written = text.slice(at + 1);
  if (ask.type === 'number' && (written.trim() === '' || Number.isNaN(Number(written))))
    throw pluginError(`${key} must be a number`);
  if (ask.type === 'boolean' && !/^(true|false)$/.test(written)) throw pluginError(`${key} must be true or false`);
  if (ask.type === 'number') return { ask, value: Number(written) };
  return { ask, value: ask.type === 'boolean' ? written === 'true' : written };
}

export interface ConfiguredValues {
  /** From settings. */
  options: JsonObject;
  /** From the file for secrets. */
  secrets: JsonObject;
  /** What the plugin keeps for itself; null: there is no config home. */
  dataFolder: string | null;
}

/** A plugin with the values of its user, and the variables for its hooks and servers. */
export interface FilledPlugin {
  plugin: Plugin;
  /** Required values that are missing. */
  missing: string[];
  problems: string[];
}

/** Servers that need a missing value are left out, and hooks that would put a value into a line for a shell. */
export function withValues(plugin: Plugin, { options, secrets, dataFolder }: ConfiguredValues): FilledPlugin {
  const { asked, problems } = askedValues(plugin);
  const values = new Map<string, { text: string; isSensitive: boolean }>();
  const missing: string[] = [];
  for (const { key, isSensitive, isRequired, otherwise } of asked) {
    const from = isSensitive ? secrets : options;
    const own = Object.hasOwn(from, key) ? from[key] : undefined;
    const value = isValue(own) ? own : otherwise;
    if (value !== undefined) values.set(key, { text: isTexts(value) ? value.join(',') : String(value), isSensitive });
    else if (isRequired) missing.push(key);
  }
  const env: Record<string, string> = {
    CLAUDE_PLUGIN_ROOT: plugin.root,
    ...(dataFolder !== null && { CLAUDE_PLUGIN_DATA: dataFolder }),
  };
  for (const [key, { text }] of values) {
    env[`CLAUDE_PLUGIN_OPTION_${key}`] = text;
    env[`CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`] = text;
  }
  const textOf = (key: string) => values.get(key)?.text;
  const shown = (key: string) => (values.get(key)?.isSensitive ? undefined : textOf(key));
  const data: Record<string, string> = dataFolder === null ? {} : { CLAUDE_PLUGIN_DATA: dataFolder };
  return {
    missing,
    problems,
    plugin: {
      ...plugin,
      env,
      prompts: plugin.prompts.map((prompt) => ({
        ...prompt,
        body: filled(prompt.body, shown),
        variables: { ...prompt.variables, ...data },
      })),
      agents: plugin.agents.map((agent) => ({
        ...agent,
        definition: { ...agent.definition, prompt: filled(agent.definition.prompt, shown) },
        env,
      })),
      hooks: plugin.hooks && withoutShellValues(plugin.hooks, problems),
      mcpServers: plugin.mcpServers && filledServers(plugin.mcpServers, { textOf, problems }),
    },
  };
}

const REFERENCE = /\$\{user_config\.(\w+)\}/g;

function filled(text: string, textOf: (key: string) => string | undefined): string {
  return text.replaceAll(REFERENCE, (written, key: string) => textOf(key) ?? written);
}

function filledServers(
  servers: JsonObject,
  { textOf, problems }: { textOf: (key: string) => string | undefined; problems: string[] },
): JsonObject {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]) => {
      const next = deepFilled(server, textOf);
      const left = JSON.stringify(next)?.match(REFERENCE);
      if (!left) return [[name, next]];
      problems.push(`the server ${name} was left out: ${left.join(', ')} has no value`);
      return [];
    }),
  );
}

function deepFilled(value: unknown, textOf: (key: string) => string | undefined): unknown {
  if (typeof value === 'string') return filled(value, textOf);
  if (Array.isArray(value)) return value.map((each: unknown) => deepFilled(each, textOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deepFilled(each, textOf)]));
}

/** A value could end the line and begin another command: hooks read it from their environment. */
function withoutShellValues(hooks: JsonObject, problems: string[]): JsonObject {
  const isSafe = (hook: unknown) => !(JSON.stringify(hook) ?? '').includes('${user_config.');
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => {
      if (!Array.isArray(groups)) return [event, groups];
      const safe = groups.map((group: unknown) => {
        if (!isObject(group) || !Array.isArray(group.hooks)) return group;
        return { ...group, hooks: group.hooks.filter(isSafe) };
      });
      if (!isSafe(groups))
        problems.push(
          `a hook of ${event} was left out: it names \${user_config.…}; hooks read CLAUDE_PLUGIN_OPTION_… instead`,
        );
      return [event, safe];
    }),
  );
}

/** Secrets by plugin. Throws an Error when the file cannot be read. */
export function readSecrets(file: string): JsonObject {
  return readJsonObject(file) ?? {};
}

/** Sets or removes (undefined) secrets of a plugin; only the user may read the file. */
export async function changeSecrets(file: string, id: string, changes: JsonObject): Promise<void> {
  await changeJsonFile(file, ({ [id]: before, ...others }) => {
    const next = Object.entries({ ...(isObject(before) ? before : {}), ...changes }).filter(
      ([, value]) => value !== undefined,
    );
    return next.length === 0 ? others : { ...others, [id]: Object.fromEntries(next) };
  });
}

function isValue(value: unknown): value is PluginValue {
  return ['string', 'number', 'boolean'].includes(typeof value) || isTexts(value);
}
