import { raceAbort } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import { ModelFailure } from '../failures.ts';

export interface Credential {
  apiKey?: string;
  authToken?: string;
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
  return { ...(key && { apiKey: key }), ...(token && { authToken: token }) };
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
