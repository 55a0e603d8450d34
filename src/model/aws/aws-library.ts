/** The part of `@aws-sdk/credential-provider-node` that is used. */
export interface AwsCredentialLibrary {
  defaultProvider(options: AwsLibraryOptions): () => Promise<AwsLibraryKeys>;
}

export interface AwsLibraryOptions {
  profile: string | undefined;
  /** Where `~/.aws/credentials` and `~/.aws/config` are. */
  filepath: string;
  configFilepath: string;
  clientConfig: { region: string };
}

export interface AwsLibraryKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}
