import * as z from 'zod/mini';
import { EFFORT_LEVELS } from '../effort-levels.ts';
import { FastModeDisabledReason, FastModeState } from '../fast-mode.ts';
import { permissionModes } from '../permissions.ts';
import { AnyObject, open, word } from '../schema.ts';
import { identity } from './common.ts';

const flag = z.optional(z.boolean());
const text = z.optional(z.string());
const texts = z.optional(z.array(z.string()));

/** `/login managed key`: the key that `heddle auth login` stored. */
export const ApiKeySource = word([
  ...(['ANTHROPIC_API_KEY', 'apiKeyHelper', '/login managed key', 'OPENAI_API_KEY'] as const),
  ...(['user', 'project', 'org', 'temporary', 'oauth', 'none'] as const),
]);
export type ApiKeySource = z.infer<typeof ApiKeySource>;

/** A plugin that did not load, or only in part. */
const PluginError = open(() => ({
  plugin: z.string(),
  type: z.string(),
  message: z.string(),
  path: text,
  managed_lock: z.optional(open({ plugin_enabled: z.boolean(), name: z.string(), marketplace: text })),
}));

/** The details of a session. The first line of every turn. */
export const SystemInitMessage = open(() => ({
  type: z.literal('system'),
  subtype: z.literal('init'),
  /** The working directory. */
  cwd: z.string(),
  /** The tools that the model has, by name. */
  tools: z.array(z.string()),
  mcp_servers: z.array(open({ name: z.string(), status: z.string(), source: text })),
  /** The full name of the model. */
  model: z.string(),
  permissionMode: word(permissionModes),
  /** The commands that a prompt may begin with, without the slash. */
  slash_commands: z.array(z.string()),
  /** Where the credential of the model's API comes from. */
  apiKeySource: ApiKeySource,
  betas: texts,
  /** The version of the wire protocol. `heddle_version` is the version of Heddle. */
  claude_code_version: z.string(),
  output_style: z.string(),
  agents: texts,
  skills: z.array(z.string()),
  plugins: z.array(open({ name: z.string(), path: z.string(), source: text, version: text })),
  /** The memory files in force (docs/memory.md). */
  memory_files: z.optional(z.array(open({ path: z.string(), type: z.string() }))),
  fast_mode_state: z.optional(FastModeState),
  fast_mode_disabled_reason: z.optional(FastModeDisabledReason),
  /** How much work the model puts into the next answer; null where no effort is set. */
  effort: z.optional(z.nullable(word(EFFORT_LEVELS))),
  ...identity,

  // Later versions of the reference.
  terminal_slash_commands: texts,
  capabilities: texts,
  plugin_errors: z.optional(z.array(PluginError)),
  view_mode: z.optional(word(['focus', 'default'])),
  original_cwd: text,
  additional_directories: texts,
  memory_paths: z.optional(AnyObject),
  analytics_disabled: flag,
  user_message_uuids: texts,

  // Heddle's own.
  heddle_version: text,
  protocol_version: z.optional(z.number()),
  /**
   * Whether Heddle trusts the project files, and which of them it left out for lack of trust. `digest` is that of the
   * files as they are, where `trust_project` could trust them.
   */
  trust: z.optional(open({ trusted: z.boolean(), ignored: z.array(z.string()), digest: text })),
  /** The sandbox that confines commands now. */
  sandbox: z.optional(
    open({
      enabled: z.boolean(),
      /** `bubblewrap` or `seatbelt`. */
      provider: text,
      /** `off`, `allow-list` or `own-proxy`. */
      network: text,
      allowed_hosts: texts,
      /** `none`, `listed`, `all`, or `unknown`: those that are known when a command starts are closed. */
      unix_sockets: text,
      weaker: flag,
      auto_allow: flag,
      may_leave: flag,
      /** Why no sandbox runs although the settings ask for one. */
      unavailable: text,
    }),
  ),
  /** What holds rules that deny paths to commands. Absent where there are none. */
  path_rules: z.optional(
    open({
      /** The setting `permissions.enforcement`. */
      enforcement: z.string(),
      /** `kernel`: whatever program opens a file. `parse`: as far as Heddle can read the command. */
      held_by: z.string(),
      /** `bubblewrap` or `seatbelt`. */
      provider: text,
      /** Why the kernel does not hold them. */
      unavailable: text,
    }),
  ),
}));
export type SystemInitMessage = z.infer<typeof SystemInitMessage>;
