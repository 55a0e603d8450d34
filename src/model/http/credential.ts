import { raceAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import { ModelFailure } from '../failures.ts';

export interface Credential {
  apiKey?: string;
  authToken?: string;
  /** Keys that requests are signed with. */
  signingKeys?: SigningKeys;
}

/** Keys of an AWS account, as every source of credentials hands them out. */
export interface SigningKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Comes with temporary keys, and is sent with each request. */
  sessionToken?: string;
}

/** The values of a credential that nobody may see. The id of a key is no secret. */
export function secretsOf({ apiKey, authToken, signingKeys }: Credential): string[] {
  const values = [apiKey, authToken, signingKeys?.secretAccessKey, signingKeys?.sessionToken];
  return values.flatMap((value) => value?.trim() || []);
}

export interface CredentialSource extends Credential {
  /** Called before every request, for credentials that change; wins over the fixed ones. */
  credential?: () => Promise<Credential>;
}

/**
 * The credential for the next request. Keys often come from files and end with a line feed, which is removed. Rejects
 * with an `authentication` failure when no credential can be obtained.
 */
export async function currentCredential(source: CredentialSource, signal: AbortSignal): Promise<Credential> {
  const given = source.credential ? await askFor(source.credential, signal) : source;
  const key = given.apiKey?.trim();
  const token = given.authToken?.trim();
  const { signingKeys } = given;
  return { ...(key && { apiKey: key }), ...(token && { authToken: token }), ...(signingKeys && { signingKeys }) };
}

async function askFor(credential: () => Promise<Credential>, signal: AbortSignal): Promise<Credential> {
  try {
    return await raceAbort(credential(), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = messageOf(error);
    throw new ModelFailure({ class: 'authentication', message: `Could not get the API credential: ${reason}` });
  }
}
