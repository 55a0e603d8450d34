import { openAuthStore } from '../host/mcp/auth-store.ts';
import { expandConfig } from '../mcp/config/expand-config.ts';
import { type RemoteConfig, readServerConfig } from '../mcp/config/server-config.ts';
import type { ProgramClient } from '../mcp/oauth/program-sign-in.ts';
import { signInAsProgram } from '../mcp/oauth/program-sign-in.ts';
import { joinedScope } from '../mcp/oauth/scope.ts';
import { type SignInOptions, signIn } from '../mcp/oauth/sign-in.ts';
import { revokeTokens } from '../mcp/oauth/sign-out.ts';
import type { SignedIn } from '../mcp/oauth/signed-in.ts';
import { type AuthStore, canRenew } from '../mcp/oauth/tokens.ts';
import { isObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { AdminServer, ServerAdmin } from './servers.ts';

/** The options that the user may give; the rest is in the server's configuration, as `oauth`. */
export type LoginOptions = Pick<SignInOptions, 'show' | 'patienceMs' | 'callbackPort' | 'scope'> & {
  clientId?: string;
  clientSecret?: string;
  /** Sign in as a program, without a person. */
  asProgram?: {
    /** The authorization server that may get the secret. */
    issuer: string;
    /** In PEM form, instead of a secret. */
    privateKey?: string;
  };
};

/** The data of a sign-in that may be shown. */
export interface SignInView {
  authorizationServer: string;
  scope?: string;
  /** ISO 8601: when its token expires; it is then renewed, where possible. */
  expiresAt?: string;
  canRenew: boolean;
}

/**
 * Signs in to a remote server and stores the tokens. Rejects with `sign_in_failed`, with `invalid_option` for a server
 * without a sign-in, and with the signal's reason.
 */
export async function logIn(
  server: AdminServer,
  admin: ServerAdmin,
  options: LoginOptions,
  signal: AbortSignal,
): Promise<SignInView> {
  if (server.idle) throw new HeddleError('invalid_option', `${server.name} is not in use: ${server.idle.reason}`);
  const { url, type, headers } = remoteConfig(server);
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    throw new HeddleError('invalid_option', `${server.name} has an Authorization header of its own: it would win`);
  }
  const { clientId, clientSecret, callbackPort, asProgram, ...given } = { ...oauthOf(server), ...options };
  const store = openAuthStore(admin.location.configHome, url);
  const before = store.read();
  // A new sign-in keeps the scope that was already granted.
  const moreScope = joinedScope(before?.scope, before?.wantedScope);
  const shared = {
    ...given,
    ...(moreScope !== undefined && { moreScope }),
    serverUrl: url,
    transport: type,
    fetch: admin.fetch,
    now: () => Date.now(),
  };
  if (asProgram) {
    const client = programOf({ clientId, clientSecret, privateKey: asProgram.privateKey });
    return save(await signInAsProgram({ ...shared, client, issuer: asProgram.issuer }, signal), store);
  }
  const signedIn = await signIn(
    {
      ...shared,
      ...(clientId !== undefined && {
        client: { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
      }),
      ...(callbackPort !== undefined && { callbackPort }),
    },
    signal,
  );
  return save(signedIn, store);
}

async function save(signedIn: SignedIn, store: AuthStore): Promise<SignInView> {
  await store.locked(() => store.write(signedIn));
  return viewOf(signedIn);
}

/** Throws `invalid_option` when the client id or the credential is missing. */
function programOf(given: Record<'clientId' | 'clientSecret' | 'privateKey', string | undefined>): ProgramClient {
  const { clientId, clientSecret, privateKey } = given;
  if (clientId === undefined) throw new HeddleError('invalid_option', 'A program signs in by its id: give --client-id');
  if (privateKey !== undefined) return { client_id: clientId, private_key: privateKey };
  if (clientSecret !== undefined) return { client_id: clientId, client_secret: clientSecret };
  const text = 'A program signs in with a secret: set MCP_CLIENT_SECRET, or MCP_CLIENT_KEY to a private key (PEM)';
  throw new HeddleError('invalid_option', text);
}

/** The result of a sign-out. */
export interface LoggedOut {
  /** False: the user was not signed in. */
  wasSignedIn: boolean;
  /** Why the authorization server may still accept the tokens; null when it does not. */
  notRevoked: string | null;
}

/** Deletes the stored tokens in any case, and revokes them where possible. */
export async function logOut(server: AdminServer, admin: ServerAdmin): Promise<LoggedOut> {
  const store = openAuthStore(admin.location.configHome, remoteConfig(server).url);
  return store.locked(async () => {
    const stored = store.read();
    await store.write(null);
    if (!stored) return { wasSignedIn: false, notRevoked: null };
    try {
      const isRevoked = await revokeTokens(stored, admin.fetch);
      return { wasSignedIn: true, notRevoked: isRevoked ? null : 'it does not take that back' };
    } catch (error) {
      return { wasSignedIn: true, notRevoked: messageOf(error) };
    }
  });
}

/** Null when the user is not signed in, or when the server has no sign-in. */
export function signInOf(server: AdminServer, configHome: string): SignInView | null {
  try {
    const stored = openAuthStore(configHome, remoteConfig(server).url).read();
    return stored && viewOf(stored);
  } catch {
    return null; // not a remote server, or one whose address is unknown here
  }
}

function viewOf(signedIn: SignedIn): SignInView {
  const { authorizationServer, scope, expiresAt } = signedIn;
  return {
    authorizationServer,
    ...(scope !== undefined && { scope }),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    canRenew: canRenew(signedIn),
  };
}

function remoteConfig({ name, server }: AdminServer): RemoteConfig {
  let config: ReturnType<typeof readServerConfig>;
  try {
    config = readServerConfig(expandConfig(server.raw, server.variables));
  } catch (error) {
    throw new HeddleError('invalid_option', `${name} cannot be used: ${messageOf(error)}`);
  }
  if (config.type === 'http' || config.type === 'sse') return config;
  throw new HeddleError('invalid_option', `${name} is no remote server: there is nothing to sign in to`);
}

/** `oauth: { clientId, callbackPort }` of the configuration. */
function oauthOf({ server: { raw } }: AdminServer): { clientId?: string; callbackPort?: number } {
  const { clientId, callbackPort } = isObject(raw.oauth) ? raw.oauth : {};
  return {
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof callbackPort === 'number' && { callbackPort }),
  };
}
