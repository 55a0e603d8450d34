/** The stored data of a sign-in. All of it except the addresses is secret. */
export interface SignedIn {
  /** The only server that the tokens are for. */
  serverUrl: string;
  /** The issuer of the tokens; only it may renew them. */
  authorizationServer: string;
  client: { client_id: string; client_secret?: string; private_key?: string; token_endpoint_auth_method?: string };
  /** A program has signed in for itself, and can do so again; absent: a person has. */
  grant?: 'client_credentials';
  resource?: string;
  /** The scope of the tokens, if the server named it. */
  scope?: string;
  /** The scope that the sign-in requested. */
  askedScope?: string;
  /** The scope that the server has asked for since: the next sign-in requests it, too. */
  wantedScope?: string;
  accessToken: string;
  refreshToken?: string;
  /** Milliseconds since the epoch; absent where the server named no time. */
  expiresAt?: number;
}

/** The latest time a Date can hold: a token with a longer lifetime never expires. */
const LAST_DATE_MS = 8.64e15;

/** The fields of a token endpoint's answer that are stored. */
export function tokensIn(
  tokens: {
    access_token: string;
    refresh_token?: string | undefined;
    expires_in?: number | undefined;
    scope?: string | undefined;
  },
  now: number,
): Pick<SignedIn, 'accessToken' | 'refreshToken' | 'expiresAt' | 'scope'> {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = tokens;
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined && { expiresAt: Math.min(now + seconds * 1000, LAST_DATE_MS) }),
    ...(scope !== undefined && { scope }),
  };
}
