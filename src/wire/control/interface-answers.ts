import * as z from 'zod/mini';
import { SessionHost } from '../messages/heddle.ts';
import { open, word } from '../schema.ts';

/** The answers to requests that interfaces for people send. Most of them are Heddle's own. */

const flag = z.optional(z.boolean());

/** A file or directory of the session that fits a query. */
export const FileSuggestion = open(() => ({
  /** Relative to the working directory; a directory ends with a slash. */
  path: z.string(),
  is_directory: flag,
  /** The higher, the better it fits. */
  score: z.optional(z.number()),
  /** The characters of `path` that the query matches, for drawing. */
  positions: z.optional(z.array(z.number())),
}));
export type FileSuggestion = z.infer<typeof FileSuggestion>;

export const FileSuggestions = open(() => ({
  /** The best ones, the best first. */
  suggestions: z.array(FileSuggestion),
  /** The directory that the paths are relative to. */
  cwd: z.optional(z.string()),
  /** Heddle's own: how many fit. */
  total: z.optional(z.number()),
  /** Heddle's own: there are more files than Heddle lists, or the list took too long. */
  truncated: flag,
  /** The files are still being listed: the same question may have more answers in a moment. */
  indexing: flag,
}));
export type FileSuggestions = z.infer<typeof FileSuggestions>;

/** A resource of a connected MCP server, which a prompt can mention as `@server:uri`. */
export const ListedResource = open(() => ({
  server: z.string(),
  uri: z.string(),
  name: z.string(),
  description: z.optional(z.string()),
  mimeType: z.optional(z.string()),
}));
export type ListedResource = z.infer<typeof ListedResource>;

export const McpResourceList = open(() => ({
  resources: z.array(ListedResource),
  /** Servers whose resources could not be listed. */
  failed: z.optional(z.array(open({ server: z.string(), error: z.string() }))),
}));
export type McpResourceList = z.infer<typeof McpResourceList>;

/** A part of a conversation, oldest first. */
export const SessionMessagesPage = open(() => ({
  /** Lines of type `user` and `assistant` with the uuids that they have on disk, as `--replay-history` prints them. */
  messages: z.array(open({ type: z.string(), uuid: z.optional(z.string()) })),
  /** How many messages the branch has. */
  total: z.number(),
  /** Older messages than these: pass it as `before`. Absent at the beginning of the conversation. */
  before: z.optional(z.string()),
}));
export type SessionMessagesPage = z.infer<typeof SessionMessagesPage>;

/** What a command of the person has printed. A failed one has all of it in `stderr`, with its exit code. */
export const ShellCommandResult = open(() => ({ stdout: z.string(), stderr: z.string(), is_error: z.boolean() }));
export type ShellCommandResult = z.infer<typeof ShellCommandResult>;

/** What the command of `statusLine` has printed. */
export const StatusLineResult = open(() => ({
  /** False: there is no such setting, or hooks are off. All else is absent then. */
  configured: z.boolean(),
  /** As printed; empty after a failure. */
  output: z.optional(z.string()),
  /** Absent where a signal ended the command. */
  exit_code: z.optional(z.number()),
  /** Why there is nothing to show. */
  error: z.optional(z.string()),
  /** Columns to the left and to the right of it. */
  padding: z.optional(z.number()),
  /** Run it again after so many seconds, also without a cause. */
  refresh_interval: z.optional(z.number()),
  /** The command shows the mode of the vim keys itself. */
  hide_vim_mode: flag,
}));
export type StatusLineResult = z.infer<typeof StatusLineResult>;

/** What happened to permission updates. */
export const PermissionUpdatesResult = open(() => ({ mode: z.string() }));
export type PermissionUpdatesResult = z.infer<typeof PermissionUpdatesResult>;

/** What of a project's files acts only with trust. */
export const ProjectTrustReport = open(() => ({
  state: word(['trusted', 'changed', 'untrusted'] as const),
  /** Of the files as they are now; the decision to trust them names it. */
  digest: z.string(),
  files: z.array(
    open({
      /** Relative to the project. */
      file: z.string(),
      /** Settings that act only with trust, with their whole values. */
      needs_trust: z.array(open({ key: z.string(), value: z.unknown() })),
      /** Settings that act in no case. */
      never: z.array(z.string()),
    }),
  ),
}));
export type ProjectTrustReport = z.infer<typeof ProjectTrustReport>;

/** One place where two texts differ, as in a unified diff. */
const PatchHunk = open(() => ({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  lines: z.array(z.string()),
}));

/** What a command would do beyond reading, as far as its text tells. */
export const CommandPreview = open(() => ({
  /** Where it would run. */
  directory: z.string(),
  sandboxed: z.boolean(),
  /** The files that it writes or deletes, as absolute paths, and the hosts that it names. */
  effects: z.array(open({ what: word(['writes', 'deletes', 'reaches']), on: z.string() })),
  /** Why not all of it can be told beforehand. */
  unknown: z.optional(z.string()),
}));
export type CommandPreview = z.infer<typeof CommandPreview>;

/** What a call would change, computed by the tool itself from the file as it is now. */
export const CallPreview = open(() => ({
  /** `patch`: the change of a file. `file`: a new file. */
  kind: word(['patch', 'file']),
  /** The absolute path. */
  file: z.string(),
  hunks: z.optional(z.array(PatchHunk)),
  /** The text of a new file. */
  content: z.optional(z.string()),
  /** Lines. */
  added: z.number(),
  removed: z.optional(z.number()),
  is_new: z.boolean(),
  /** Not all of the change is here. */
  truncated: flag,
}));
export type CallPreview = z.infer<typeof CallPreview>;

/** A host has joined. */
export const AttachResult = open(() => ({
  host_id: z.string(),
  role: word(['drive', 'watch']),
  session_id: z.string(),
  /** The number of the newest line. */
  seq: z.number(),
  /** The oldest line that can be sent again. */
  oldest_seq: z.number(),
  /** Lines between `from_seq` and `oldest_seq` are gone: `session_messages` has the messages of them. */
  has_gap: flag,
  hosts: z.array(SessionHost),
  heddle_version: z.string(),
}));
export type AttachResult = z.infer<typeof AttachResult>;
