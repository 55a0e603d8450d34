import { isObject, type JsonObject } from '../../util/json.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** `${NAME}` and `${NAME:-default}`. */
const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The fields of a server's configuration in which variables are replaced. */
const EXPANDED = ['command', 'args', 'env', 'url', 'headers'] as const;

/**
 * Replaces the variables in a server's configuration by their values. Throws an Error that names the unset variables: a
 * server with an empty key would fail in confusing ways.
 */
export function expandConfig(server: JsonObject, variables: Variables): JsonObject {
  const missing: string[] = [];
  const expanded: JsonObject = { ...server };
  for (const key of EXPANDED) {
    if (server[key] === undefined) continue;
    expanded[key] = expandValue(server[key], (name, otherwise) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined; // `constructor` is not a variable
      if (otherwise !== undefined) return value || otherwise;
      if (value === undefined) missing.push(`${name} (in ${key})`);
      return value ?? '';
    });
  }
  if (missing.length === 0) return expanded;
  const [one] = missing;
  throw new Error(
    missing.length === 1
      ? `the environment variable ${one} is not set`
      : `these environment variables are not set: ${missing.join(', ')}`,
  );
}

type FindValue = (name: string, otherwise: string | undefined) => string;

function expandValue(value: unknown, find: FindValue): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(REFERENCE, (_, name: string, otherwise?: string) => find(name, otherwise));
  }
  if (Array.isArray(value)) return value.map((item) => expandValue(item, find));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandValue(item, find)]));
}
