import { attachedBlocks } from '../sessions/replay/user-blocks.ts';
import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';

/**
 * Content that the runtime adds to the user's message: environment facts, memory files, mentioned files. It is recorded
 * as it is sent, so that a resume sends the same.
 */
export interface Attachment extends JsonObject {
  type: string;
  content: string | ContentBlock[];
}

/** An attachment with its uuid in the transcript. */
export interface AttachmentEntry {
  attachment: Attachment;
  uuid: string;
}

/** The attachments in the form for the model, as a resume will read them. */
export function attachedContent(attachments: readonly Attachment[]): readonly ContentBlock[] {
  return attachments.flatMap((attachment) => attachedBlocks({ type: 'attachment', attachment }));
}
