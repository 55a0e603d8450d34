import { attachedBlocks } from '../sessions/user-blocks.ts';
import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/content.ts';

/**
 * What the runtime adds to what people say: the facts of the place, memory files, mentioned files. Recorded as it is
 * sent, so that a resume sends the same (ruling K35).
 */
export interface Attachment extends JsonObject {
  type: string;
  content: string | ContentBlock[];
}

/** One that has its place in the transcript. */
export interface PlacedAttachment {
  attachment: Attachment;
  uuid: string;
}

/** What the model sees of attachments, as a resume will read them. */
export function attachedContent(attachments: readonly Attachment[]): readonly ContentBlock[] {
  return attachments.flatMap((attachment) => attachedBlocks({ type: 'attachment', attachment }));
}
