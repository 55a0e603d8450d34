import * as z from 'zod/mini';
import { open, word } from '../schema.ts';
import { system } from './common.ts';

/**
 * Printed after a resume when the file allows more than one reading: the entries that were left out and why, and the
 * leaf that the oldest rule (greatest timestamp) would select, if it differs. Printed, too, when the last turn was left
 * without its end.
 */
export const ResumeReportMessage = system('resume_report', () => ({
  leaf_uuid: z.nullable(z.string()),
  /** The number of messages on the path. */
  restored: z.number(),
  dropped: z.array(open({ uuid: z.optional(z.string()), line: z.optional(z.number()), reason: z.string() })),
  latest_by_timestamp: z.optional(z.string()),
  /** The last turn was left without its end: `continue_turn` continues it. */
  unfinished_turn: z.optional(open({ prompt_uuid: z.nullable(z.string()) })),
}));
export type ResumeReportMessage = z.infer<typeof ResumeReportMessage>;

/** Heddle could not use an input line. It skipped the line and continues. */
export const InputErrorMessage = system('input_error', () => ({
  error: z.string(),
  error_code: z.optional(z.string()),
  /** 1-based number of the line on stdin, where known. */
  line: z.optional(z.number()),
  /** The uuid of the rejected message, if it had one. */
  input_uuid: z.optional(z.string()),
}));
export type InputErrorMessage = z.infer<typeof InputErrorMessage>;

/** Messages already printed that a retry replaced. The file keeps them as a side branch. */
export const SupersededMessage = system('superseded', () => ({
  superseded_uuids: z.array(z.string()),
  reason: z.string(),
}));
export type SupersededMessage = z.infer<typeof SupersededMessage>;

/** The result of a message with `restore_files`, printed before its turn begins. */
export const FilesRestoredMessage = system('files_restored', () => ({
  /** The uuid of the message, if it has one. */
  input_uuid: z.optional(z.string()),
  canRewind: z.boolean(),
  /** The absolute paths of the files that changed. */
  filesChanged: z.optional(z.array(z.string())),
  /** Names the files that could not be restored, with the reason. */
  error: z.optional(z.string()),
}));
export type FilesRestoredMessage = z.infer<typeof FilesRestoredMessage>;

/** A host of a session that several hosts share. */
export const SessionHost = open(() => ({
  host_id: z.string(),
  /** `drive`: prompts, answers questions, changes the session. `watch`: reads. */
  role: word(['drive', 'watch']),
  /** What the host calls itself. */
  name: z.optional(z.string()),
  /** When it came, as an ISO time. */
  since: z.string(),
}));
export type SessionHost = z.infer<typeof SessionHost>;

/** A host has come or gone. Printed to hosts of a session that several can share. */
export const HostsChangedMessage = system('hosts_changed', () => ({
  hosts: z.array(SessionHost),
  joined: z.optional(z.string()),
  left: z.optional(z.string()),
  /** Why it has gone, where it did not want to: it read too slowly. */
  reason: z.optional(z.string()),
}));
export type HostsChangedMessage = z.infer<typeof HostsChangedMessage>;

/** One of several hosts has answered a question; the session withdraws it from the others. */
export const QuestionAnsweredMessage = system('question_answered', () => ({
  /** The `request_id` of the question. */
  request_id: z.string(),
  tool_use_id: z.optional(z.string()),
  /** The host whose answer counts; null: nobody was there in time, and the session went on without an answer. */
  host_id: z.nullable(z.string()),
  host_name: z.optional(z.string()),
  /** `allow` or `deny`, or the action of an elicitation. */
  answer: z.string(),
}));
export type QuestionAnsweredMessage = z.infer<typeof QuestionAnsweredMessage>;
