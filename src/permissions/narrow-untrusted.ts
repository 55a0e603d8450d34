import { isObject, type JsonObject } from '../util/json.ts';

/** The remaining settings of a project, and the dotted names of the settings that were removed. */
export interface Narrowed {
  values: JsonObject;
  ignored: string[];
}

/** The keys of `permissions` that only narrow what an agent may do. */
export const NARROWING: ReadonlySet<string> = new Set(['deny', 'ask', 'disableBypassPermissionsMode']);

/**
 * Narrows the settings of a project that the user has not trusted: they may forbid, and nothing else. A user who clones
 * a repository must not get its hooks, grants and servers along with its code.
 */
export function narrowUntrusted(values: JsonObject): Narrowed {
  const { permissions, $schema: _, ...others } = values;
  const ignored = Object.keys(others).filter((key) => saysSomething(others[key]));
  if (!isObject(permissions)) return { values: permissions === undefined ? {} : { permissions }, ignored };
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(permissions)) {
    if (NARROWING.has(key) || isNarrowingEnforcement(key, value)) kept[key] = value;
    else if (saysSomething(value)) ignored.push(`permissions.${key}`);
  }
  return { values: { permissions: kept }, ignored };
}

/** A project may demand that the kernel holds path rules, and may not weaken what the user has set. */
function isNarrowingEnforcement(key: string, value: unknown): boolean {
  return (key === 'enforcement' && value === 'kernel') || (key === 'askForCiFiles' && value === true);
}

/** Settings that locate credentials. Anyone who sets one of them could read the credentials. */
const CREDENTIAL_HELPERS = new Set([
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'modelProviders',
  'otelHeadersHelper',
  'proxyAuthHelper',
]);

/** Variables that send requests and credentials elsewhere, or load code into this process. */
const ENDPOINT_VARIABLES =
  /^(ANTHROPIC_(BASE_URL|API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|OPENAI_(BASE_URL|API_KEY|CUSTOM_HEADERS)|(GEMINI|GOOGLE|OPENROUTER|OLLAMA|LMSTUDIO|LLAMACPP|VLLM)_(BASE_URL|API_KEY)|ANTHROPIC_(BEDROCK|VERTEX|FOUNDRY)_\w*|AWS_(BEARER_TOKEN_BEDROCK|CONTAINER_\w*|WEB_IDENTITY_TOKEN_FILE|ROLE_ARN|CONFIG_FILE|SHARED_CREDENTIALS_FILE|ENDPOINT_URL\w*)|(GCE|CLOUDSDK|AZURE_OPENAI)_\w*|GOOGLE_APPLICATION_CREDENTIALS|HEDDLE_MODEL_PROVIDERS|CLAUDE_CODE_(USE_|SKIP_|OAUTH_|API_)\w*|CLAUDE_CONFIG_DIR|HEDDLE_HOME|HOME|(\w+_)?PROXY|NODE_(OPTIONS|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|SSL_CERT_(FILE|DIR))$/i;

/** Even a trusted project may not decide where the user's keys are sent. */
export function withoutEndpoints(values: JsonObject): Narrowed {
  const ignored: string[] = [];
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(values)) {
    if (CREDENTIAL_HELPERS.has(key)) ignored.push(key);
    else kept.push([key, isObject(value) ? withoutWeakening(key, value, ignored) : value]);
  }
  // Not by assignment: assigning `__proto__` would hide settings in the object's prototype.
  return { values: Object.fromEntries(kept), ignored };
}

/** A project may ask for a sandbox and for the kernel, but may not weaken those of the user. */
function withoutWeakening(key: string, value: JsonObject, ignored: string[]): JsonObject {
  if (key === 'env') return withoutEndpointVariables(value, ignored);
  // A value that is none of the three stops the start, as in every other file.
  if (key === 'permissions' && (value.enforcement === 'auto' || value.enforcement === 'parse')) {
    ignored.push('permissions.enforcement');
    const { enforcement: _, ...others } = value;
    return others;
  }
  if (key !== 'sandbox' || value.enabled !== false) return value;
  ignored.push('sandbox.enabled');
  const { enabled: _, ...others } = value;
  return others;
}

function withoutEndpointVariables(env: JsonObject, ignored: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      if (!ENDPOINT_VARIABLES.test(name)) return true;
      ignored.push(`env.${name}`);
      return false;
    }),
  );
}

/** Whether a setting is present and neither empty nor off. */
export function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
