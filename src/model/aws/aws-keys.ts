import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFilled, isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { AskOnce } from '../http/ask-once.ts';
import type { SigningKeys } from '../http/credential.ts';
import type { ExpiringCredential } from '../http/expiring.ts';
import type { Env } from '../resolve.ts';
import type { AwsCredentialLibrary } from './aws-library.ts';
import { type AwsProfile, readProfile } from './aws-profile.ts';

/** What finding keys may use. */
export interface AwsSources {
  env: Env;
  region: string;
  /** The user's command that prints keys as JSON (the setting `awsCredentialExport`). */
  exportCommand: string | undefined;
  /** Runs a command of the user; resolves with its output. */
  run(command: string): Promise<string>;
  ask: AskOnce;
  /** AWS's own library, for what is not here: SSO, roles, machines of EC2. Null: it is not installed. */
  library?(): Promise<AwsCredentialLibrary | null>;
}

/** Finds the keys of an AWS account. Rejects with an error that names the sources. */
export async function findAwsKeys(sources: AwsSources): Promise<ExpiringCredential> {
  const { env, exportCommand, run } = sources;
  const fixed = keysOf({
    AccessKeyId: env.AWS_ACCESS_KEY_ID?.trim(),
    SecretAccessKey: env.AWS_SECRET_ACCESS_KEY?.trim(),
    Token: env.AWS_SESSION_TOKEN?.trim(),
  });
  if (fixed) return fixed;
  if (exportCommand !== undefined) return printedKeys('awsCredentialExport', await run(exportCommand));
  const found = (await ofProfile(sources)) ?? (await ofContainer(sources)) ?? (await ofWebIdentity(sources));
  if (found) return found;
  const missing =
    'no AWS keys were found: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ' +
    'AWS_PROFILE with keys or credential_process in ~/.aws, or awsCredentialExport in your settings ' +
    '(such as: aws configure export-credentials); a machine of EC2 needs @aws-sdk/credential-provider-node beside Heddle';
  return (await ofLibrary(sources, missing)) ?? fail(missing);
}

/** Where the region of a profile is needed before any key: null when neither the environment nor the profile has one. */
export async function awsRegion(env: Env): Promise<string | null> {
  const given = env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim();
  return given || (await profileOf(env))?.region || null;
}

async function ofProfile(sources: AwsSources): Promise<ExpiringCredential | null> {
  const { env, run } = sources;
  const profile = await profileOf(env);
  if (!profile) {
    if (env.AWS_PROFILE?.trim()) throw new Error(`~/.aws has no profile ${env.AWS_PROFILE.trim()} (AWS_PROFILE)`);
    return null;
  }
  const fixed = keysOf({
    AccessKeyId: profile.aws_access_key_id,
    SecretAccessKey: profile.aws_secret_access_key,
    Token: profile.aws_session_token,
  });
  if (fixed) return fixed;
  if (profile.credential_process) return printedKeys('credential_process', await run(profile.credential_process));
  if (profile.sso_start_url || profile.sso_session || profile.role_arn) {
    const missing =
      'the AWS profile signs in by SSO or a role: set awsCredentialExport in your settings to ' +
      '"aws configure export-credentials" and awsAuthRefresh to "aws sso login", or install ' +
      '@aws-sdk/credential-provider-node beside Heddle';
    return (await ofLibrary(sources, missing)) ?? fail(missing);
  }
  return null;
}

/** What AWS's own library finds, if it is installed. */
async function ofLibrary(sources: AwsSources, missing: string): Promise<ExpiringCredential | null> {
  const library = await sources.library?.();
  if (!library) return null;
  const { env, region } = sources;
  const find = library.defaultProvider({
    profile: env.AWS_PROFILE?.trim() || undefined,
    filepath: env.AWS_SHARED_CREDENTIALS_FILE?.trim() || join(env.HOME ?? '', '.aws', 'credentials'),
    configFilepath: env.AWS_CONFIG_FILE?.trim() || join(env.HOME ?? '', '.aws', 'config'),
    clientConfig: { region },
  });
  const found = await find().catch((error: unknown) => fail(`${missing}. AWS's library: ${messageOf(error)}`));
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = found;
  return {
    credential: { signingKeys: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } },
    expires: expiration ? expiration.getTime() : null,
  };
}

function fail(message: string): never {
  throw new Error(message);
}

async function profileOf(env: Env): Promise<AwsProfile | undefined> {
  const home = env.HOME ?? '';
  const name = env.AWS_PROFILE?.trim() || 'default';
  const [credentials, config] = await Promise.all([
    textOf(env.AWS_SHARED_CREDENTIALS_FILE?.trim() || join(home, '.aws', 'credentials')),
    textOf(env.AWS_CONFIG_FILE?.trim() || join(home, '.aws', 'config')),
  ]);
  return readProfile(name, { credentials, config });
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** The address at which ECS and EKS hand out keys. */
const CONTAINER = 'http://169.254.170.2';

async function ofContainer({ env, ask }: AwsSources): Promise<ExpiringCredential | null> {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI?.trim();
  const address = relative ? `${CONTAINER}${relative}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI?.trim();
  if (!address) return null;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE?.trim();
  const token = file ? (await readFile(file, 'utf8')).trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN?.trim();
  const headers: Record<string, string> = token ? { authorization: token } : {};
  const { status, text } = await ask({ url: new URL(address), method: 'GET', headers });
  if (status !== 200) throw new Error(`the container's source of AWS keys answered with HTTP status ${status}`);
  return printedKeys("the container's source of AWS keys", text);
}

async function ofWebIdentity({ env, region, ask }: AwsSources): Promise<ExpiringCredential | null> {
  const file = env.AWS_WEB_IDENTITY_TOKEN_FILE?.trim();
  const role = env.AWS_ROLE_ARN?.trim();
  if (!file || !role) return null;
  const query = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env.AWS_ROLE_SESSION_NAME?.trim() || 'heddle',
    WebIdentityToken: (await readFile(file, 'utf8')).trim(),
  });
  const { status, text } = await ask({
    url: new URL(env.AWS_ENDPOINT_URL_STS?.trim() || `https://sts.${region}.amazonaws.com/`),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/xml' },
    body: query.toString(),
  });
  const field = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  if (status !== 200)
    throw new Error(`AWS STS refused the web identity: ${field('Message') ?? `HTTP status ${status}`}`);
  const found = keysOf({
    AccessKeyId: field('AccessKeyId'),
    SecretAccessKey: field('SecretAccessKey'),
    Token: field('SessionToken'),
    Expiration: field('Expiration'),
  });
  if (found) return found;
  throw new Error('AWS STS answered without keys');
}

/** Keys as commands and containers print them. `aws configure export-credentials` puts them under `Credentials`. */
function printedKeys(what: string, text: string): ExpiringCredential {
  const printed = tryParseJson(text);
  const inner = isObject(printed) && isObject(printed.Credentials) ? printed.Credentials : printed;
  const found = isObject(inner) ? keysOf(inner) : null;
  if (found) return found;
  throw new Error(`${what} printed no JSON with AccessKeyId and SecretAccessKey`);
}

function keysOf(printed: JsonObject): ExpiringCredential | null {
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = printed;
  if (!isFilled(accessKeyId) || !isFilled(secretAccessKey)) return null;
  const sessionToken = stringField(printed, 'SessionToken') || stringField(printed, 'Token');
  const signingKeys: SigningKeys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  const expires = Date.parse(stringField(printed, 'Expiration') ?? '');
  return { credential: { signingKeys }, expires: Number.isNaN(expires) ? null : expires };
}
