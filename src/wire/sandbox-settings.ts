/** The `sandbox` setting, as people write it. docs/sandbox.md explains each key and its default. */
export interface SandboxSettings {
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
  };
  /** `file`, `network`, or the beginning of a command, with the texts that mark what is not worth a word. */
  ignoreViolations?: Record<string, string[]>;
}
