import * as z from 'zod/mini';
import { open } from '../schema.ts';
import { system } from './common.ts';

/**
 * Said after a resume when the file did not give one plain answer: what was left out and why, and which leaf the
 * oldest rule (greatest timestamp) would have chosen, if another (rulings K15, K21).
 */
export const ResumeReportMessage = system('resume_report', () => ({
  leaf_uuid: z.nullable(z.string()),
  /** Messages that are on the path. */
  restored: z.number(),
  dropped: z.array(open({ uuid: z.optional(z.string()), line: z.optional(z.number()), reason: z.string() })),
  latest_by_timestamp: z.optional(z.string()),
}));
export type ResumeReportMessage = z.infer<typeof ResumeReportMessage>;

/** An input line that could not be used; it was skipped and the process lives on (ruling K23). */
export const InputErrorMessage = system('input_error', () => ({
  error: z.string(),
  error_code: z.optional(z.string()),
  /** 1-based number of the line on stdin, where known. */
  line: z.optional(z.number()),
  /** The uuid of the rejected message, if it had one. */
  input_uuid: z.optional(z.string()),
}));
export type InputErrorMessage = z.infer<typeof InputErrorMessage>;

/** Messages already printed that a retry has replaced; they stay in the file as a side branch (ruling K27). */
export const SupersededMessage = system('superseded', () => ({
  superseded_uuids: z.array(z.string()),
  reason: z.string(),
}));
export type SupersededMessage = z.infer<typeof SupersededMessage>;

/** What became of the files that a message with `restore_files` has asked for, before its turn begins. */
export const FilesRestoredMessage = system('files_restored', () => ({
  /** The uuid of that message, if it has one. */
  input_uuid: z.optional(z.string()),
  canRewind: z.boolean(),
  /** The absolute paths of those that are others now. */
  filesChanged: z.optional(z.array(z.string())),
  /** Names those that could not be brought back, with the reason. */
  error: z.optional(z.string()),
}));
export type FilesRestoredMessage = z.infer<typeof FilesRestoredMessage>;
