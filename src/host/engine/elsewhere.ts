import type { CloudOptions } from '../../model/anthropic/messages-elsewhere.ts';
import { createMessagesServer } from '../../model/anthropic/messages-server.ts';
import { awsRegion, findAwsKeys } from '../../model/aws/aws-keys.ts';
import { createBedrockModel } from '../../model/aws/bedrock.ts';
import { findGoogleToken } from '../../model/google/google-token.ts';
import { createVertexModel } from '../../model/google/vertex.ts';
import { createAskOnce } from '../../model/http/ask-once.ts';
import { secretsOf } from '../../model/http/credential.ts';
import type { EndpointOptions } from '../../model/http/endpoint.ts';
import { parseHeaderLines, sharedSettings } from '../../model/http/endpoint-env.ts';
import { type ExpiringCredential, expiring } from '../../model/http/expiring.ts';
import { renewing } from '../../model/http/renewing.ts';
import type { Failure, Model } from '../../model/model.ts';
import { userOverride } from '../../model/model-table.ts';
import { type NamedServer, namedServer } from '../../model/named-servers.ts';
import { createOpenAiApi } from '../../model/responses/openai-api.ts';
import { optionalPackage } from '../../tools/optional-package.ts';
import { stringField, tryParseJson } from '../../util/json.ts';
import type { Processes } from '../../util/process/process.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { HeddleError } from '../../wire/errors.ts';
import { createCredentialCommand } from './credential-command.ts';
import { type CloudCommands, type KeyHelper, type SessionKeys, STORED_KEY } from './engine-models.ts';
import type { Env } from './environment.ts';

/** What a connection to a cloud or a named server may use. */
export interface ElsewhereContext {
  commands: (CloudCommands & { cwd: string }) | undefined;
  /** A key that `heddle auth login` has stored for the server at this address. */
  stored?: SessionKeys['stored'];
  processes: Pick<Processes, 'run'> | undefined;
  note: ((secrets: readonly string[]) => void) | undefined;
  /** What the endpoints of all providers share. */
  own: Pick<EndpointOptions, 'runtime' | 'userAgent' | 'secrets'>;
}

/** How to connect. Connections with the same key are shared. */
export interface Elsewhere {
  key: string;
  keySource: string;
  make(): Model;
}

/**
 * The clouds and the servers that a name or the environment chooses. Returns an error that says what to set where
 * something is missing: the session opens, and its turn fails with it.
 */
export async function connectElsewhere(
  provider: string,
  env: Env,
  context: ElsewhereContext,
): Promise<Elsewhere | HeddleError> {
  switch (provider) {
    case 'bedrock':
      return bedrock(env, context);
    case 'vertex':
      return vertex(env, context);
    case 'foundry':
      return foundry(env, context);
    case 'azure':
      return azure(env, context);
    default: {
      const server = namedServer(provider, env);
      return server ? named(server, env, context) : lacks(`There is no provider ${provider}.`);
    }
  }
}

/** The environment with the region of the user's AWS profile, where no variable sets one. */
export async function inRegion(env: Env): Promise<Env> {
  const region = await awsRegion(env);
  return region === null ? env : { ...env, AWS_REGION: region };
}

async function bedrock(env: Env, context: ElsewhereContext): Promise<Elsewhere | HeddleError> {
  const region = await awsRegion(env);
  if (region === null) return lacks('Amazon Bedrock needs a region: set AWS_REGION, such as us-east-1.');
  if (!IS_NAME.test(region)) return lacks(`AWS_REGION is no name of a region: ${region}`);
  const token = env.AWS_BEARER_TOKEN_BEDROCK?.trim();
  const skips = isOn(env.CLAUDE_CODE_SKIP_BEDROCK_AUTH);
  const { commands } = context;
  const source = cached(context, env, (sources) =>
    findAwsKeys({
      ...sources,
      env,
      region,
      exportCommand: commands?.awsCredentialExport,
      library: () => optionalPackage('@aws-sdk/credential-provider-node'),
    }),
  );
  const baseUrl = env.ANTHROPIC_BEDROCK_BASE_URL?.trim() || `https://bedrock-runtime.${region}.amazonaws.com`;
  return {
    key: keyOf(env, [region, baseUrl, token, commands]),
    keySource: token ? 'AWS_BEARER_TOKEN_BEDROCK' : 'none',
    make() {
      const credential = token ? { authToken: token } : skips ? {} : { credential: source.credential };
      const model = createBedrockModel({ baseUrl, region, ...ofCloud(env, context), ...credential });
      return token || skips ? model : renewing(model, (failure) => source.renew(failure, commands?.awsAuthRefresh));
    },
  };
}

async function vertex(env: Env, context: ElsewhereContext): Promise<Elsewhere | HeddleError> {
  const project = env.ANTHROPIC_VERTEX_PROJECT_ID?.trim() || env.GOOGLE_CLOUD_PROJECT?.trim();
  const region = env.CLOUD_ML_REGION?.trim();
  if (!project) return lacks('Google Vertex AI needs a project: set ANTHROPIC_VERTEX_PROJECT_ID.');
  if (!region) return lacks('Google Vertex AI needs a region: set CLOUD_ML_REGION, such as us-east5 or global.');
  if (!IS_NAME.test(region)) return lacks(`CLOUD_ML_REGION is no name of a region: ${region}`);
  const skips = isOn(env.CLAUDE_CODE_SKIP_VERTEX_AUTH);
  const { commands } = context;
  const source = cached(context, env, (sources) =>
    findGoogleToken({ ...sources, env, library: () => optionalPackage('google-auth-library') }),
  );
  const host = region === 'global' ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`;
  const baseUrl = env.ANTHROPIC_VERTEX_BASE_URL?.trim() || `https://${host}/v1`;
  return {
    key: keyOf(env, [project, region, baseUrl, commands]),
    keySource: 'none',
    make() {
      const credential = skips ? {} : { credential: source.credential };
      const model = createVertexModel({ baseUrl, project, region, ...ofCloud(env, context), ...credential });
      return skips ? model : renewing(model, (failure) => source.renew(failure, commands?.gcpAuthRefresh));
    },
  };
}

/** A token of Microsoft Entra that the user has obtained. */
const TOKEN_OF_FOUNDRY = 'ANTHROPIC_FOUNDRY_AUTH_TOKEN';

async function foundry(env: Env, context: ElsewhereContext): Promise<Elsewhere | HeddleError> {
  const resource = env.ANTHROPIC_FOUNDRY_RESOURCE?.trim();
  const given = env.ANTHROPIC_FOUNDRY_BASE_URL?.trim();
  if (!resource && !given) {
    return lacks('Microsoft Foundry needs a resource: set ANTHROPIC_FOUNDRY_RESOURCE, or ANTHROPIC_FOUNDRY_BASE_URL.');
  }
  if (resource && !IS_NAME.test(resource)) return lacks(`ANTHROPIC_FOUNDRY_RESOURCE is no name: ${resource}`);
  const keyVariable = 'ANTHROPIC_FOUNDRY_API_KEY';
  const apiKey = env[keyVariable]?.trim();
  const authToken = apiKey ? undefined : env[TOKEN_OF_FOUNDRY]?.trim();
  const skips = isOn(env.CLAUDE_CODE_SKIP_FOUNDRY_AUTH);
  const source = cached(context, env, ({ run }) => findEntraToken(FOUNDRY_SCOPE, { run, keyVariable }));
  const baseUrl = given || `https://${resource}.services.ai.azure.com/anthropic`;
  return {
    key: keyOf(env, [baseUrl, apiKey, authToken]),
    keySource: apiKey ? keyVariable : authToken ? TOKEN_OF_FOUNDRY : 'none',
    make() {
      const model = createMessagesServer({
        name: 'foundry',
        baseUrl,
        addressFrom: given ? 'ANTHROPIC_FOUNDRY_BASE_URL' : 'ANTHROPIC_FOUNDRY_RESOURCE',
        keyFrom: authToken ? TOKEN_OF_FOUNDRY : keyVariable,
        modelAdvice: 'Check the name of the deployment: Foundry knows models by the names of their deployments.',
        ...ofCloud(env, context),
        ...(apiKey ? { apiKey } : authToken ? { authToken } : skips ? {} : { credential: source.credential }),
      });
      return apiKey || authToken || skips ? model : renewing(model, (failure) => source.renew(failure, undefined));
    },
  };
}

async function azure(env: Env, context: ElsewhereContext): Promise<Elsewhere | HeddleError> {
  const resource = env.AZURE_OPENAI_RESOURCE?.trim();
  const endpoint = env.AZURE_OPENAI_ENDPOINT?.trim()?.replace(/\/+$/, '');
  const given = env.AZURE_OPENAI_BASE_URL?.trim() || (endpoint && `${endpoint}/openai/v1`);
  if (!resource && !given) {
    return lacks('Azure OpenAI needs an address: set AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com');
  }
  if (resource && !IS_NAME.test(resource)) return lacks(`AZURE_OPENAI_RESOURCE is no name: ${resource}`);
  const keyVariable = 'AZURE_OPENAI_API_KEY';
  const apiKey = env[keyVariable]?.trim();
  const source = cached(context, env, ({ run }) => findEntraToken(AZURE_OPENAI_SCOPE, { run, keyVariable }));
  const baseUrl = given || `https://${resource}.openai.azure.com/openai/v1`;
  return {
    key: keyOf(env, [baseUrl, apiKey]),
    keySource: apiKey ? keyVariable : 'none',
    make() {
      const model = createOpenAiApi({
        wire: 'chat',
        name: 'azure',
        baseUrl,
        addressFrom: 'AZURE_OPENAI_ENDPOINT',
        keyFrom: 'AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT',
        keyHeader: 'api-key',
        ...ofEnv(env, context),
        ...(apiKey ? { apiKey } : { credential: source.credential }),
      });
      return apiKey ? model : renewing(model, (failure) => source.renew(failure, undefined));
    },
  };
}

function named(server: NamedServer, env: Env, context: ElsewhereContext): Elsewhere | HeddleError {
  const { name, wire, baseUrl, addressFrom, keyVariables, keyHeader, headers } = server;
  const keyVariable = keyVariables.find((variable) => env[variable]?.trim());
  const apiKey = keyVariable && env[keyVariable]?.trim();
  const helper = apiKey || keyVariables.length === 0 ? undefined : context.stored?.(keyOwner(name), baseUrl);
  if (keyVariables.length > 0 && !apiKey && !helper) {
    const login = `heddle auth login --provider ${keyOwner(name)}`;
    return lacks(`${name} needs a key: set ${keyVariables.join(' or ')}, or store one with ${login}.`);
  }
  const options = {
    name,
    baseUrl,
    addressFrom,
    ...ofEnv(env, context),
    ...(headers && { headers }),
    ...(apiKey && { apiKey }),
    ...(helper && { credential: helper.credential }),
    ...(keyVariable && { keyFrom: keyVariable }),
    ...(helper && { keyFrom: `the key that is stored for ${keyOwner(name)} (heddle auth status)` }),
    ...(keyHeader && { keyHeader }),
  };
  return {
    key: keyOf(env, [server, apiKey, helper?.id]),
    keySource: keyVariable ?? (helper ? STORED_KEY : 'none'),
    make() {
      if (wire !== 'messages') return createOpenAiApi({ ...options, wire });
      const { apiKey: _, ...rest } = options;
      const credential = keyHeader === undefined ? { authToken: apiKey } : { apiKey };
      return createMessagesServer({
        ...rest,
        ...(apiKey && credential),
        ...(helper && keyHeader === undefined && { credential: asToken(helper) }),
        modelAdvice: `Check the model's name: ${baseUrl} does not know it.`,
      });
    },
  };
}

/** OpenAI's Responses take the key that is stored for OpenAI. */
function keyOwner(name: string): string {
  return name === 'openai-responses' ? 'openai' : name;
}

function asToken({ credential }: KeyHelper): KeyHelper['credential'] {
  return async () => {
    const { apiKey } = await credential();
    return apiKey === undefined ? {} : { authToken: apiKey };
  };
}

/** The services for which Azure's command prints a token. */
const FOUNDRY_SCOPE = 'https://ai.azure.com/.default';
const AZURE_OPENAI_SCOPE = 'https://cognitiveservices.azure.com/.default';

/** A token of Microsoft Entra, as `az` prints it. Rejects with an error that names what to set instead. */
async function findEntraToken(
  scope: string,
  { run, keyVariable }: { run: (command: string) => Promise<string>; keyVariable: string },
): Promise<ExpiringCredential> {
  const printed = tryParseJson(await run(`az account get-access-token --output json --scope ${scope}`).catch(() => ''));
  const token = stringField(printed, 'accessToken');
  if (!token) throw new Error(`no key and no Azure sign-in were found: set ${keyVariable}, or run az login`);
  const seconds = (printed as { expires_on?: unknown }).expires_on;
  return { credential: { authToken: token }, expires: typeof seconds === 'number' ? seconds * 1000 : null };
}

/** Names that become part of a host. */
const IS_NAME = /^[a-z0-9-]+$/i;

function lacks(message: string): HeddleError {
  return new HeddleError('no_credentials', message);
}

function ofEnv(env: Env, { own }: ElsewhereContext): Omit<EndpointOptions, 'baseUrl'> {
  return { ...sharedSettings(env), ...own };
}

/** Headers that the user adds to requests for Anthropic's models: the clouds get them, other servers do not. */
function ofCloud(env: Env, context: ElsewhereContext): Omit<CloudOptions, 'baseUrl'> {
  const lines = env.ANTHROPIC_CUSTOM_HEADERS;
  const nameOf = (model: string) => userOverride(model, env);
  return { ...ofEnv(env, context), nameOf, ...(lines && { headers: parseHeaderLines(lines) }) };
}

/** All variables that a connection depends on, whatever the provider. */
function keyOf(env: Env, parts: readonly unknown[]): string {
  const variables = Object.entries(env).filter(([name]) => CONNECTION.test(name));
  return JSON.stringify([...parts, ...variables.sort()]);
}

const CONNECTION =
  /^(AWS|GOOGLE|GCE|CLOUDSDK|AZURE)_|_PROXY$|^(ANTHROPIC_CUSTOM_HEADERS|HEDDLE_MODEL_OVERRIDES|API_TIMEOUT_MS|CLAUDE_CODE_(MAX_RETRIES|SKIP_\w+)|HOME|PATH)$/i;

interface Sources {
  run(command: string): Promise<string>;
  ask: ReturnType<typeof createAskOnce>;
  now(): number;
}

/** A credential that is obtained when it is needed, hidden from then on, and obtained again when it expires. */
function cached(context: ElsewhereContext, env: Env, obtain: (sources: Sources) => Promise<ExpiringCredential>) {
  const { processes, commands, note, own } = context;
  const { clock } = own.runtime;
  const run = createCredentialCommand({ processes, cwd: commands?.cwd ?? '/', env });
  const sources: Sources = { run, ask: createAskOnce(env), now: () => clock.now() };
  const source = expiring(async () => {
    const found = await obtain(sources);
    note?.(secretsOf(found.credential));
    return found;
  }, clock);
  return {
    credential: () => source.credential(),
    /** After a refusal: runs the user's command that signs in again, if there is one. */
    async renew({ status }: Failure, command: string | undefined): Promise<boolean> {
      // Without an answer of the server, the source itself has failed: it would fail again.
      if (command === undefined && status === undefined) return false;
      source.forget();
      if (command !== undefined) await run(command).catch((error) => own.runtime.log('warn', String(error.message)));
      return true;
    },
  };
}
