import type { Attachment } from '../../agent/attachment.ts';
import type { MemoryKind, MemoryLocation } from '../../config/memory/memory-locations.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Env } from '../engine/environment.ts';

/** The memory files of a session: `AGENTS.md`, `CLAUDE.md`, rules and what they import (docs/memory.md). */
export interface SessionMemory {
  /** The files that are new to the model or have changed; null: there are none. */
  pending(): Promise<Attachment | null>;
  /** Only nested files that were found since the last call; all others wait for the next turn. */
  pendingNested(): Promise<Attachment | null>;
  /** Marks an attachment as sent, in this run or in a resumed conversation. */
  markReported(attachment: Attachment): void;
  /** Forgets what was sent: a summary has replaced the conversation, or another one begins. */
  forget(why: 'compact' | 'restart'): void;
  /** Notes files that a tool names: the memory of their directories is sent with the next request. */
  touch(paths: readonly string[]): void;
  /** The files in force, from the last read. */
  files(): { path: string; type: MemoryKind }[];
  /** The files in force with details, read now, and the rules that wait for a file. */
  list(): Promise<ListedMemory[]>;
  /** Calls the listener for every file that was sent to the model, for InstructionsLoaded hooks. */
  onLoaded(listener: (loaded: InstructionsLoaded) => void): void;
}

/** A memory file, and why it is in force. */
export interface ListedMemory {
  path: string;
  kind: MemoryKind;
  /** The size of the text for the model; null: a rule for files, none of which was worked on. */
  bytes: number | null;
  /** The files that a rule applies to. */
  globs?: readonly string[] | undefined;
  importedBy?: string | undefined;
  /** The file that was worked on. */
  trigger?: string | undefined;
}

export interface MemoryOptions {
  config: RunConfig;
  env: Env;
  configHome: string | null;
  workspace: Workspace;
  /** Makes a filter for the paths that no rule hides. Use it for one read only. */
  readableFilter(): Promise<(path: string) => boolean>;
  /** Globs of absolute paths to leave out (`claudeMdExcludes`). */
  excludes(): readonly string[];
  warn(text: string): void;
}

/** The fields of an InstructionsLoaded event, in addition to the fields of every event. */
export interface InstructionsLoaded {
  file_path: string;
  memory_type: 'User' | 'Project' | 'Local';
  load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact' | 'file_changed';
  /** The files that a rule applies to. */
  globs?: readonly string[];
  /** The file that imports it. */
  parent_file_path?: string;
  /** The file that was worked on, for one below the working directory and for a rule with globs. */
  trigger_file_path?: string;
}

/** A memory location below the working directory, and the file that a tool worked on there. */
export interface NestedLocation {
  location: MemoryLocation;
  trigger: string;
}

/** The files that tools worked on since the last read. */
export interface Touched {
  files: readonly string[];
  /** The memory files of their directories. */
  nested: readonly NestedLocation[];
}

export interface LoadedMemory extends Pick<SessionMemory, 'markReported' | 'forget' | 'files'> {
  pending(touched: Touched): Promise<Attachment | null>;
  pendingNested(touched: Touched): Promise<Attachment | null>;
  list(touched: Touched): Promise<ListedMemory[]>;
}
