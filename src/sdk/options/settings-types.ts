import type { PermissionMode } from '../../wire/permissions.ts';
import type { SandboxSettings } from '../../wire/sandbox-settings.ts';
import type { EffortLevel, SettingSource } from './option-types.ts';

/**
 * A settings file, as users write it. docs/settings.md lists the supported keys; Heddle preserves other keys, such as
 * those of the reference, and ignores them.
 */
export interface Settings {
  permissions?: {
    allow?: string[];
    deny?: string[];
    ask?: string[];
    defaultMode?: PermissionMode;
    additionalDirectories?: string[];
    disableBypassPermissionsMode?: 'disable';
    /** Heddle's own: what holds rules that deny paths to commands. */
    enforcement?: 'auto' | 'kernel' | 'parse';
    /** Heddle's own: modes that accept edits ask for files of build servers. */
    askForCiFiles?: boolean;
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
  /** Heddle's own: the limits of a model's conversations and answers. */
  modelLimits?: Record<string, Record<string, number>>;
  sandbox?: SandboxSettings;
  /** By event; each kind of hook has its own fields. */
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
  // Keys of the reference are not listed one by one; a program may still write them.
  [key: string]: unknown;
}

/** One server, by its name, its command, or its address. */
export interface McpServerFilter {
  serverName?: string;
  serverCommand?: [string, ...string[]];
  serverUrl?: string;
}

export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';

/** How a policy of the reference was delivered. In Heddle the program passes it: `parent`, or `remote`. */
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

/** The source of a setting. */
export interface ProvenanceEntry {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
}

export interface ResolveSettingsOptions {
  /** The directory of the project. Default: this process's. */
  cwd?: string;
  /** The settings files to read. Default: all. */
  settingSources?: SettingSource[];
  /** The value of the option `managedSettings` of `query`. */
  managedSettings?: Settings;
  /** Managed settings from a server of the administrator of this machine. */
  serverManagedSettings?: Settings;
}

/** The merged contents of settings files. Values are unchanged, credentials included. */
export interface ResolvedSettings {
  /** Merged. */
  effective: Settings;
  /** By key of `effective`: the strongest source that sets the key. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** The contents of each source, the weakest first. */
  sources: (ProvenanceEntry & { settings: Settings })[];
  /** The policies of this machine that could not be read. Heddle reads none, so none failed. */
  machinePolicy?: { didNotLoad: false | ('profile' | 'registry' | 'file')[] };
}
