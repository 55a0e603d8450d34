/** What a token allows. */
export const SCOPES = [
  'sessions:read',
  'sessions:write',
  'questions:answer',
  'workspaces:write',
  'webhooks:write',
  // The stored sessions of the home, of all programs: for its owner.
  'home:read',
  'home:write',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** A token, without its secret, of which only the hash is stored. */
export interface TokenInfo {
  id: string;
  tenant: string;
  name: string;
  scopes: Scope[];
  /** Set: the token is for this session only. */
  sessionId: string | null;
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
}

export type NewToken = Pick<TokenInfo, 'tenant' | 'name' | 'scopes' | 'sessionId' | 'expiresAt'>;

/** Who may come in. A token is `hdl_<id>_<32 random bytes>`. */
export interface Tokens {
  /** The only time that the secret is known. */
  create(token: NewToken): Promise<{ info: TokenInfo; secret: string }>;
  list(tenant: string): Promise<TokenInfo[]>;
  /** False: there is none. */
  revoke(tenant: string, id: string): Promise<boolean>;
  /** Null: unknown, revoked or expired. Takes the same time for each. */
  verify(secret: string): Promise<TokenInfo | null>;
}
