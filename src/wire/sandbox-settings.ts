/** The `sandbox` setting, as users write it. docs/sandbox.md explains each key and its default. */
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
    /** Keys of the reference. Heddle warns where they are set. */
    allowRead?: string[];
    allowManagedReadPathsOnly?: boolean;
    disabled?: boolean;
  };
  /** By `file`, `network`, or the beginning of a command: texts of violations that Heddle does not report. */
  ignoreViolations?: Record<string, string[]>;
}

/** Keys of the reference's sandbox that Heddle ignores. It warns about each that is set. */
export interface ForeignSandboxSettings {
  credentials?: SandboxCredentials;
  allowNestedUserNamespaces?: boolean;
  enableWeakerNetworkIsolation?: boolean;
  allowAppleEvents?: boolean;
  ripgrep?: { command: string; args?: string[] };
  bwrapPath?: string;
  socatPath?: string;
}

/** The credentials that the reference's sandbox masks or passes to commands. */
export type SandboxCredentials = Record<string, unknown>;
