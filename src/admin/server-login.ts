import { expandConfig } from '../mcp/expand-config.ts';
import type { ProgramClient } from '../mcp/oauth-program.ts';
import { joinedScope } from '../mcp/oauth-scope.ts';
import { type SignInOptions, signIn } from '../mcp/oauth-sign-in.ts';
import { revokeTokens } from '../mcp/oauth-sign-out.ts';
import { type AuthStore, canRenew, type SignedIn } from '../mcp/oauth-tokens.ts';
import { type RemoteConfig, readServerConfig } from '../mcp/server-config.ts';
import { isObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { AdminServer, ServerAdmin } from './mcp-admin.ts';
import { openAuthStore } from './mcp-auth.ts';

/** What whoever signs in may say; the rest stands in the server's configuration, as `oauth`. */
export type LoginOptions = Pick<SignInOptions, 'show' | 'patienceMs' | 'callbackPort' | 'scope'> & {
  clientId?: string;
  clientSecret?: string;
  /** Sign in as a program, without a person. */
  asProgram?: {
    /** The authorization server that the secret is for. */
    issuer: string;
    /** In PEM form, in the place of a secret. */
    privateKey?: string;
  };
};

/** What may be told of a sign-in. */
export interface SignInView {
  authorizationServer: string;
  scope?: string;
  /** ISO 8601: when its token is over; then it is renewed, where that can be done. */
  expiresAt?: string;
  canRenew: boolean;
}

/**
 * Signs in to a remote server and keeps the tokens. Rejects with `sign_in_failed`, with `invalid_option` for a server
 * that is none to sign in to, and with the signal's reason.
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
  const store = openAuthStore(admin.place.configHome, url);
  const before = store.read();
  // What was granted is not given up for what is wanted now.
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
    const { signInAsProgram } = await import('../mcp/oauth-program.ts');
    return keep(await signInAsProgram({ ...shared, client, issuer: asProgram.issuer }, signal), store);
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
  return keep(signedIn, store);
}

async function keep(signedIn: SignedIn, store: AuthStore): Promise<SignInView> {
  await store.locked(() => store.write(signedIn));
  return viewOf(signedIn);
}

/** Throws `invalid_option` when it is not said who signs in, and with what. */
function programOf(given: Record<'clientId' | 'clientSecret' | 'privateKey', string | undefined>): ProgramClient {
  const { clientId, clientSecret, privateKey } = given;
  if (clientId === undefined) throw new HeddleError('invalid_option', 'A program signs in by its id: give --client-id');
  if (privateKey !== undefined) return { client_id: clientId, private_key: privateKey };
  if (clientSecret !== undefined) return { client_id: clientId, client_secret: clientSecret };
  const text = 'A program signs in with a secret: set MCP_CLIENT_SECRET, or MCP_CLIENT_KEY to a private key (PEM)';
  throw new HeddleError('invalid_option', text);
}

/** How a sign-in ended that is ended. */
export interface LoggedOut {
  /** False: nobody was signed in. */
  wasSignedIn: boolean;
  /** Why the authorization server may still take the tokens; null when it does not. */
  notRevoked: string | null;
}

/** Forgets the tokens in any case, and has them revoked where that can be done. */
export async function logOut(server: AdminServer, admin: ServerAdmin): Promise<LoggedOut> {
  const store = openAuthStore(admin.place.configHome, remoteConfig(server).url);
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

/** Null when nobody is signed in to it, or nobody could be. */
export function signInOf(server: AdminServer, configHome: string): SignInView | null {
  try {
    const stored = openAuthStore(configHome, remoteConfig(server).url).read();
    return stored && viewOf(stored);
  } catch {
    return null; // no remote server, or one whose address is not known here
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
    config = readServerConfig(expandConfig(server.given, server.variables));
  } catch (error) {
    throw new HeddleError('invalid_option', `${name} cannot be used: ${messageOf(error)}`);
  }
  if (config.type === 'http' || config.type === 'sse') return config;
  throw new HeddleError('invalid_option', `${name} is no remote server: there is nothing to sign in to`);
}

/** `oauth: { clientId, callbackPort }` of the configuration. */
function oauthOf({ server: { given } }: AdminServer): { clientId?: string; callbackPort?: number } {
  const { clientId, callbackPort } = isObject(given.oauth) ? given.oauth : {};
  return {
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof callbackPort === 'number' && { callbackPort }),
  };
}
