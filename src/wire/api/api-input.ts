import type { ApiRedactedThinkingBlock, ApiThinkingBlock, ApiToolUseBlock, TextCitation } from './api-blocks.ts';
import type { ContentBlock, DocumentBlock, ToolResultBlock, ToolUseBlock } from './content.ts';

interface Cached {
  cache_control?: { type: 'ephemeral'; ttl?: '5m' | '1h' } | null;
}

interface UserTextBlock extends Cached {
  type: 'text';
  text: string;
  citations?: TextCitation[] | null;
}

interface UserImageBlock extends Cached {
  type: 'image';
  source:
    | { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string }
    | { type: 'url'; url: string }
    | { type: 'file'; file_id: string };
}

interface UserDocumentBlock extends Cached {
  type: 'document';
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string }
    | { type: 'content'; content: string | (UserTextBlock | UserImageBlock)[] }
    | { type: 'url'; url: string }
    | { type: 'file'; file_id: string };
  title?: string | null;
  context?: string | null;
}

interface SearchResultBlock extends Cached {
  type: 'search_result';
  title: string;
  source: string;
  content: UserTextBlock[];
}

interface ToolReferenceBlock extends Cached {
  type: 'tool_reference';
  tool_name: string;
}

interface UserToolResultBlock extends Cached {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | (UserTextBlock | UserImageBlock | UserDocumentBlock | SearchResultBlock | ToolReferenceBlock)[];
  is_error?: boolean;
}

/** The content of a printed user message: mostly results of tools. */
export type ApiUserContent =
  | string
  | (
      | UserTextBlock
      | UserImageBlock
      | UserDocumentBlock
      | SearchResultBlock
      | UserToolResultBlock
      | ApiThinkingBlock
      | ApiRedactedThinkingBlock
      | ApiToolUseBlock
    )[];

/** Blocks that Heddle passes to the model's API unchanged. */
interface PassedBlock {
  type:
    | 'search_result'
    | 'tool_reference'
    | 'browser_state'
    | 'server_tool_use'
    | 'web_search_tool_result'
    | 'web_fetch_tool_result'
    | 'code_execution_tool_result'
    | 'bash_code_execution_tool_result'
    | 'text_editor_code_execution_tool_result'
    | 'tool_search_tool_result'
    | 'container_upload';
}

type DocumentParam = Omit<DocumentBlock, 'source'> & {
  source: DocumentBlock['source'] | { type: 'content'; content: string | { type: 'text' | 'image' }[] };
};

type ToolUseParam = Omit<ToolUseBlock, 'input'> & { input: unknown };

/** A message as programs write it: anything that the types of the model's API accept. The role must be `user`. */
export interface ApiMessageParam {
  role: 'user' | 'assistant' | 'system';
  content:
    | string
    | (
        | Exclude<ContentBlock, { type: 'tool_result' | 'tool_use' | 'document' }>
        | ToolUseParam
        | DocumentParam
        | (Omit<ToolResultBlock, 'content'> & {
            content?: string | (ContentBlock | DocumentParam | PassedBlock)[];
          })
        | PassedBlock
      )[];
}
