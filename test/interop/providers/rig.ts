import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findAwsKeys } from '../../../src/model/aws/aws-keys.ts';
import type { AwsCredentialLibrary } from '../../../src/model/aws/aws-library.ts';
import { findGoogleToken } from '../../../src/model/google/google-token.ts';
import { createAskOnce } from '../../../src/model/http/ask-once.ts';
import type { ExpiringCredential } from '../../../src/model/http/expiring.ts';

/** Where the packages and programs of a run are. */
export interface Installed {
  /** The folder with the clients of providers. */
  clients: string;
  /** The command line of the reference, and ours. */
  reference: string;
  cli: string;
}

/** What a check of a provider has to do with. */
export interface ProviderRig extends Installed {
  /** Imports a client from the folder that the clients were installed into. */
  load<Module>(specifier: string): Promise<Module>;
  /** A folder of its own, which goes with the check. */
  folder: string;
  /** Runs when the check is over. */
  later(close: () => Promise<unknown>): void;
  /** The keys that Heddle finds for an AWS account in us-east-1, with AWS's own library. */
  awsKeys(env: Record<string, string>, library: AwsCredentialLibrary): Promise<ExpiringCredential>;
  /** The token that Heddle finds for Google's cloud. */
  googleToken(env: Record<string, string>): Promise<string | undefined>;
}

/** Runs a check in a place of its own, which is gone afterwards. */
export async function withRig(installed: Installed, run: (rig: ProviderRig) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-provider-')));
  const closing: (() => Promise<unknown>)[] = [];
  const { resolve } = createRequire(join(installed.clients, 'package.json'));
  const ask = createAskOnce({});
  const rig: ProviderRig = {
    ...installed,
    folder,
    load: (specifier) => import(pathToFileURL(resolve(specifier)).href),
    later: (close) => closing.push(close),
    awsKeys: (env, library) =>
      findAwsKeys({
        ...{ env, region: 'us-east-1', exportCommand: undefined, ask },
        run: async () => '',
        library: async () => library,
      }),
    async googleToken(env) {
      const found = await findGoogleToken({ env, run: async () => '', ask, now: () => Date.now() });
      return found.credential.authToken;
    },
  };
  try {
    await run(rig);
  } finally {
    for (const close of closing) await close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
