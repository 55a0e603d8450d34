/**
 * A package that is used when it is installed and not missed when it is not: null then. By a name that the bundler
 * cannot see, or it would take the package in.
 */
export async function optionalPackage<Name extends keyof OptionalPackages>(
  name: Name,
): Promise<OptionalPackages[Name] | null> {
  try {
    return (await import(name)) as OptionalPackages[Name];
  } catch {
    return null;
  }
}

export interface OptionalPackages {
  '@opentelemetry/api': typeof import('@opentelemetry/api');
  sharp: typeof import('sharp');
  unpdf: typeof import('unpdf');
}

/** How a reader gets at its package; handed in so that its absence can be tried. */
export type PackageLoader<Name extends keyof OptionalPackages> = () => Promise<OptionalPackages[Name] | null>;
