import type { AwsCredentialLibrary } from '../model/aws/aws-library.ts';
import type { GoogleAuthLibrary } from '../model/google/google-token.ts';
import { loadPart } from '../wire/load-part.ts';

/**
 * Loads an optional package; null when it is not installed. The name is computed, so that the bundler does not include
 * the package.
 */
export async function optionalPackage<Name extends keyof OptionalPackages>(
  name: Name,
): Promise<OptionalPackages[Name] | null> {
  try {
    return (await loadPart({}, () => import(name))) as OptionalPackages[Name];
  } catch {
    return null;
  }
}

export interface OptionalPackages {
  '@aws-sdk/credential-provider-node': AwsCredentialLibrary;
  'google-auth-library': GoogleAuthLibrary;
  '@opentelemetry/api': typeof import('@opentelemetry/api');
  sharp: typeof import('sharp');
  unpdf: typeof import('unpdf');
}

/** Loads the package of a reader; passed in so that tests can try its absence. */
export type PackageLoader<Name extends keyof OptionalPackages> = () => Promise<OptionalPackages[Name] | null>;
