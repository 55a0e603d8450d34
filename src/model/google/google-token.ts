import { createSign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { AskOnce } from '../http/ask-once.ts';
import type { ExpiringCredential } from '../http/expiring.ts';
import type { Env } from '../resolve.ts';

/** What finding a token may use. */
export interface GoogleSources {
  env: Env;
  run(command: string): Promise<string>;
  ask: AskOnce;
  /** Milliseconds since 1970. */
  now(): number;
  /** What the machine calls itself. Default: what Linux says. */
  product?(): Promise<string>;
  /** Google's own library, for federated identities. Null: it is not installed. */
  library?(): Promise<GoogleAuthLibrary | null>;
}

/** The part of `google-auth-library` that is used. */
export interface GoogleAuthLibrary {
  GoogleAuth: new (options: {
    credentials: JsonObject;
    scopes: string[];
  }) => { getAccessToken(): Promise<string | null | undefined> };
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKENS = 'https://oauth2.googleapis.com/token';

/**
 * A token of Google's default credentials: the file of GOOGLE_APPLICATION_CREDENTIALS or of gcloud, else the metadata
 * server of a machine in the cloud, else what gcloud prints. Rejects with an error that names these.
 */
export async function findGoogleToken(sources: GoogleSources): Promise<ExpiringCredential> {
  const file = await credentialsFile(sources.env);
  if (file) return ofFile(file, sources);
  return (await ofMetadataServer(sources)) ?? ofGcloud(sources);
}

async function credentialsFile(env: Env): Promise<JsonObject | null> {
  const named = env.GOOGLE_APPLICATION_CREDENTIALS?.trim();
  if (named) {
    const text = await readFile(named, 'utf8').catch(() => {
      throw new Error('the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read');
    });
    const parsed = tryParseJson(text);
    if (isObject(parsed)) return parsed;
    throw new Error('the file of GOOGLE_APPLICATION_CREDENTIALS is no JSON object');
  }
  const folder = env.CLOUDSDK_CONFIG?.trim() || join(env.HOME ?? '', '.config', 'gcloud');
  const parsed = tryParseJson(
    await readFile(join(folder, 'application_default_credentials.json'), 'utf8').catch(() => ''),
  );
  return isObject(parsed) ? parsed : null;
}

async function ofFile(file: JsonObject, sources: GoogleSources): Promise<ExpiringCredential> {
  const field = (name: string) => stringField(file, name) ?? '';
  switch (file.type) {
    case 'service_account':
      return exchange(field('token_uri') || TOKENS, sources, {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertion(file, sources.now()),
      });
    case 'authorized_user':
      return exchange(field('token_uri') || TOKENS, sources, {
        grant_type: 'refresh_token',
        client_id: field('client_id'),
        client_secret: field('client_secret'),
        refresh_token: field('refresh_token'),
      });
    default:
      // Federated identities need Google's own library; gcloud has it, too.
      return (await ofLibrary(file, sources)) ?? ofGcloud(sources);
  }
}

async function ofLibrary(credentials: JsonObject, { library }: GoogleSources): Promise<ExpiringCredential | null> {
  const found = await library?.();
  if (!found) return null;
  const token = await new found.GoogleAuth({ credentials, scopes: [SCOPE] }).getAccessToken();
  return token ? { credential: { authToken: token }, expires: null } : null;
}

/** A token of one hour, asked for with a statement that the account's own key has signed. */
function assertion(file: JsonObject, now: number): string {
  const seconds = Math.floor(now / 1000);
  const claims = {
    iss: stringField(file, 'client_email'),
    scope: SCOPE,
    aud: stringField(file, 'token_uri') || TOKENS,
    iat: seconds,
    exp: seconds + 3600,
  };
  const header = { alg: 'RS256', typ: 'JWT', kid: stringField(file, 'private_key_id') };
  const text = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  const signature = createSign('RSA-SHA256')
    .update(text)
    .sign(stringField(file, 'private_key') ?? '');
  return `${text}.${signature.toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

async function exchange(
  address: string,
  { ask, now }: GoogleSources,
  form: Record<string, string>,
): Promise<ExpiringCredential> {
  const { status, text } = await ask({
    url: new URL(address),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  });
  const token = tokenIn(text, now());
  if (status === 200 && token) return token;
  const reason = stringField(tryParseJson(text), 'error_description') ?? `HTTP status ${status}`;
  throw new Error(`Google refused the credentials (${reason}): gcloud auth application-default login signs in again`);
}

/** The address at which machines of Google's cloud ask about themselves. */
const METADATA = '169.254.169.254';
const METADATA_TIMEOUT_MS = 1000;

/** Other machines have the same address for something else, or nobody: they are not asked. */
async function ofMetadataServer({
  env,
  ask,
  now,
  product = productName,
}: GoogleSources): Promise<ExpiringCredential | null> {
  const isOfGoogle = async () => !!env.K_SERVICE?.trim() || /^Google\b/.test(await product());
  const host = env.GCE_METADATA_HOST?.trim() || ((await isOfGoogle()) ? METADATA : '');
  if (!host) return null;
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`);
  const request = { url, method: 'GET', headers: { 'metadata-flavor': 'Google' } } as const;
  const answer = await ask(request, METADATA_TIMEOUT_MS).catch(() => null);
  return answer?.status === 200 ? tokenIn(answer.text, now()) : null;
}

/** What Linux says about the machine, such as `Google Compute Engine`. */
function productName(): Promise<string> {
  return readFile('/sys/class/dmi/id/product_name', 'utf8').catch(() => '');
}

function tokenIn(text: string, now: number): ExpiringCredential | null {
  const body = tryParseJson(text);
  const token = stringField(body, 'access_token');
  if (!token || !isObject(body)) return null;
  const seconds = typeof body.expires_in === 'number' ? body.expires_in : null;
  return { credential: { authToken: token }, expires: seconds === null ? null : now + seconds * 1000 };
}

async function ofGcloud({ run }: GoogleSources): Promise<ExpiringCredential> {
  const token = await run('gcloud auth print-access-token').catch(() => '');
  if (token.trim() !== '') return { credential: { authToken: token.trim() }, expires: null };
  throw new Error(
    'no Google credentials were found: run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS',
  );
}
