/** The `sandbox` setting, as people write it. docs/sandbox.md explains each key and its default. */
export interface SandboxSettings extends ForeignSandboxSettings {
  enabled?: boolean;
  autoAllowBashIfSandboxed?: boolean;
  excludedCommands?: string[];
  allowUnsandboxedCommands?: boolean;
  failIfUnavailable?: boolean;
  enableWeakerNestedSandbox?: boolean;
  network?: {
    allowedDomains?: string[];
    deniedDomains?: string[];
    allowUnixSockets?: string[];
    allowAllUnixSockets?: boolean;
    allowLocalBinding?: boolean;
    httpProxyPort?: number;
    socksProxyPort?: number;
  };
  filesystem?: {
    allowWrite?: string[];
    denyWrite?: string[];
    denyRead?: string[];
    /** Of the reference; a warning names these where they are set. */
    allowRead?: string[];
    allowManagedReadPathsOnly?: boolean;
    disabled?: boolean;
  };
  /** `file`, `network`, or the beginning of a command, with the texts that mark what is not worth a word. */
  ignoreViolations?: Record<string, string[]>;
}

/** Keys of the reference's sandbox that have no meaning here: a warning names each that is set. */
export interface ForeignSandboxSettings {
  credentials?: SandboxCredentials;
  allowNestedUserNamespaces?: boolean;
  enableWeakerNetworkIsolation?: boolean;
  allowAppleEvents?: boolean;
  ripgrep?: { command: string; args?: string[] };
  bwrapPath?: string;
  socatPath?: string;
}

/** What the reference's sandbox masks or hands to commands. */
export type SandboxCredentials = Record<string, unknown>;
