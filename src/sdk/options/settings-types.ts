import type { PermissionMode } from '../wire/permissions.ts';
import type { SandboxSettings } from '../wire/sandbox-settings.ts';
import type { EffortLevel, SettingSource } from './option-types.ts';

/**
 * A settings file, as people write it. docs/settings.md says what acts; other keys, those of the reference among them, are
 * kept and left alone.
 */
export interface Settings {
  permissions?: {
    allow?: string[];
    deny?: string[];
    ask?: string[];
    defaultMode?: PermissionMode;
    additionalDirectories?: string[];
    disableBypassPermissionsMode?: 'disable';
    [key: string]: unknown;
  };
  env?: Record<string, string>;
  model?: string;
  fallbackModel?: string | string[];
  effortLevel?: EffortLevel;
  apiKeyHelper?: string;
  autoCompactEnabled?: boolean;
  fileCheckpointingEnabled?: boolean;
  /** Heddle's own: other names for models. */
  modelAliases?: Record<string, string>;
  /** Heddle's own: how long conversations and answers of a model may be. */
  modelLimits?: Record<string, Record<string, number>>;
  sandbox?: SandboxSettings;
  /** By event; each kind of hook has fields of its own. */
  hooks?: Record<string, { matcher?: string; hooks: { type: string; [field: string]: unknown }[] }[]>;
  disableAllHooks?: boolean;
  allowManagedHooksOnly?: boolean;
  outputStyle?: string;
  claudeMdExcludes?: string[];
  /** Heddle's own: the MCP servers that may use the model. */
  allowMcpSampling?: string[];
  enabledPlugins?: Record<string, boolean | string[] | Record<string, unknown>>;
  extraKnownMarketplaces?: Record<
    string,
    { source: { source: string; [field: string]: unknown }; [field: string]: unknown }
  >;
  enableAllProjectMcpServers?: boolean;
  enabledMcpjsonServers?: string[];
  disabledMcpjsonServers?: string[];
  allowedMcpServers?: McpServerFilter[];
  deniedMcpServers?: McpServerFilter[];
  // Keys of the reference have no place here one by one; a program that writes them is not held up.
  [key: string]: unknown;
}

/** One server, by its name, the command that starts it, or its address. */
export interface McpServerFilter {
  serverName?: string;
  serverCommand?: [string, ...string[]];
  serverUrl?: string;
}

export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';

/** By which way a policy of the reference has come. Here it is given by the program: `parent`, or `remote`. */
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

/** Where a setting stands. */
export interface ProvenanceEntry {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
}

export interface ResolveSettingsOptions {
  /** The directory of the project. Default: this process's. */
  cwd?: string;
  /** Which settings files are read. Default: all. */
  settingSources?: SettingSource[];
  /** What `managedSettings` of `query` would get. */
  managedSettings?: Settings;
  /** The same from a server of whoever administers this machine. */
  serverManagedSettings?: Settings;
}

/** What settings files say together. Values are as they stand there, credentials included. */
export interface ResolvedSettings {
  /** Merged. */
  effective: Settings;
  /** By key of `effective`: the strongest source that says something there. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** Each by itself, the weakest first. */
  sources: (ProvenanceEntry & { settings: Settings })[];
  /** Which policies of this machine could not be read. Heddle reads none, so none failed. */
  machinePolicy?: { didNotLoad: false | ('profile' | 'registry' | 'file')[] };
}
