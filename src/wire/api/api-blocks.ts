/**
 * The blocks of an answer of the Messages API, as programs read them. The types have the form of the API's own
 * packages, so that a program can pass a block to functions that were written for those. Heddle does not check these
 * types; `content.ts` has the schemas of the blocks that the agent reads.
 */

/** The source of a passage of text. */
export type TextCitation =
  | {
      type: 'char_location';
      cited_text: string;
      document_index: number;
      document_title: string | null;
      file_id: string | null;
      start_char_index: number;
      end_char_index: number;
    }
  | {
      type: 'page_location';
      cited_text: string;
      document_index: number;
      document_title: string | null;
      file_id: string | null;
      start_page_number: number;
      end_page_number: number;
    }
  | {
      type: 'content_block_location';
      cited_text: string;
      document_index: number;
      document_title: string | null;
      file_id: string | null;
      start_block_index: number;
      end_block_index: number;
    }
  | {
      type: 'web_search_result_location';
      cited_text: string;
      encrypted_index: string;
      title: string | null;
      url: string;
    }
  | {
      type: 'search_result_location';
      cited_text: string;
      search_result_index: number;
      source: string;
      start_block_index: number;
      end_block_index: number;
      title: string | null;
    };

/** Text that the model wrote. */
export interface ApiTextBlock {
  type: 'text';
  text: string;
  /** Absent where the API sent no citations. */
  citations: TextCitation[] | null;
}

/** The model's thinking. */
export interface ApiThinkingBlock {
  type: 'thinking';
  thinking: string;
  signature: string;
}

export interface ApiRedactedThinkingBlock {
  type: 'redacted_thinking';
  data: string;
}

/** A call of a tool that the agent runs. */
export interface ApiToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

/** A call of a tool that the API runs itself. */
export interface ApiServerToolUseBlock {
  type: 'server_tool_use';
  id: string;
  name:
    | 'advisor'
    | 'web_search'
    | 'web_fetch'
    | 'code_execution'
    | 'bash_code_execution'
    | 'text_editor_code_execution'
    | 'tool_search_tool_regex'
    | 'tool_search_tool_bm25';
  input: { [name: string]: unknown };
}

interface ServerToolResult<Type extends string, Result> {
  type: Type;
  tool_use_id: string;
  content: Result;
}

interface Failed<Type extends string, Code extends string> {
  type: Type;
  error_code: Code;
}

interface FailedWithText<Type extends string, Code extends string> extends Failed<Type, Code> {
  error_message: string | null;
}

type CommonErrorCode = 'invalid_tool_input' | 'unavailable' | 'too_many_requests';
type ExecutionErrorCode = CommonErrorCode | 'execution_time_exceeded';

/** The result of a web search. */
export type ApiWebSearchResultBlock = ServerToolResult<
  'web_search_tool_result',
  | Failed<
      'web_search_tool_result_error',
      CommonErrorCode | 'max_uses_exceeded' | 'query_too_long' | 'request_too_large'
    >
  | { type: 'web_search_result'; title: string; url: string; encrypted_content: string; page_age: string | null }[]
>;

/** A page that the API has fetched. */
export type ApiWebFetchResultBlock = ServerToolResult<
  'web_fetch_tool_result',
  | Failed<
      'web_fetch_tool_result_error',
      | CommonErrorCode
      | 'url_too_long'
      | 'url_not_allowed'
      | 'url_not_in_prior_context'
      | 'url_not_accessible'
      | 'unsupported_content_type'
      | 'max_uses_exceeded'
      | 'content_too_large'
    >
  | {
      type: 'web_fetch_result';
      url: string;
      retrieved_at: string | null;
      content: {
        type: 'document';
        title: string | null;
        citations: { enabled: boolean } | null;
        source:
          | { type: 'base64'; media_type: 'application/pdf'; data: string }
          | { type: 'text'; media_type: 'text/plain'; data: string };
      };
    }
>;

/** The advice of another model. */
export type ApiAdvisorResultBlock = ServerToolResult<
  'advisor_tool_result',
  | Failed<
      'advisor_tool_result_error',
      | 'max_uses_exceeded'
      | 'prompt_too_long'
      | 'too_many_requests'
      | 'overloaded'
      | 'unavailable'
      | 'execution_time_exceeded'
      | 'model_not_found'
    >
  | { type: 'advisor_result'; text: string; stop_reason: string | null }
  | { type: 'advisor_redacted_result'; encrypted_content: string; stop_reason: string | null }
>;

interface Ran<Type extends string, Output extends string> {
  type: Type;
  content: { type: Output; file_id: string }[];
  return_code: number;
  stderr: string;
}

/** The result of code that the API ran. */
export type ApiCodeExecutionResultBlock = ServerToolResult<
  'code_execution_tool_result',
  | Failed<'code_execution_tool_result_error', ExecutionErrorCode>
  | (Ran<'code_execution_result', 'code_execution_output'> & { stdout: string })
  | (Ran<'encrypted_code_execution_result', 'code_execution_output'> & { encrypted_stdout: string })
>;

/** The result of a command that the API ran. */
export type ApiBashExecutionResultBlock = ServerToolResult<
  'bash_code_execution_tool_result',
  | Failed<'bash_code_execution_tool_result_error', ExecutionErrorCode | 'output_file_too_large'>
  | (Ran<'bash_code_execution_result', 'bash_code_execution_output'> & { stdout: string })
>;

/** A file that the API showed, created or changed in its own container. */
export type ApiTextEditorResultBlock = ServerToolResult<
  'text_editor_code_execution_tool_result',
  | FailedWithText<'text_editor_code_execution_tool_result_error', ExecutionErrorCode | 'file_not_found'>
  | {
      type: 'text_editor_code_execution_view_result';
      content: string;
      file_type: 'text' | 'image' | 'pdf';
      num_lines: number | null;
      start_line: number | null;
      total_lines: number | null;
    }
  | { type: 'text_editor_code_execution_create_result'; is_file_update: boolean }
  | {
      type: 'text_editor_code_execution_str_replace_result';
      lines: string[] | null;
      new_lines: number | null;
      new_start: number | null;
      old_lines: number | null;
      old_start: number | null;
    }
>;

/** Tools that the API found. */
export type ApiToolSearchResultBlock = ServerToolResult<
  'tool_search_tool_result',
  | FailedWithText<'tool_search_tool_result_error', ExecutionErrorCode>
  | { type: 'tool_search_tool_search_result'; tool_references: { type: 'tool_reference'; tool_name: string }[] }
>;

/** A call of a tool of an MCP server that the API is connected to. */
export interface ApiMcpToolUseBlock {
  type: 'mcp_tool_use';
  id: string;
  name: string;
  server_name: string;
  input: unknown;
}

export interface ApiMcpToolResultBlock {
  type: 'mcp_tool_result';
  tool_use_id: string;
  content: string | ApiTextBlock[];
  is_error: boolean;
}

/** The tools of an MCP server that the API is connected to. */
export interface ApiMcpToolListingBlock {
  type: 'mcp_tool_listing';
  mcp_server_name: string;
  tools: { name: string; description?: string; input_schema: { [name: string]: unknown } }[];
}

/** A file that was uploaded to the container in which code runs. */
export interface ApiContainerUploadBlock {
  type: 'container_upload';
  file_id: string;
}

/** The API replaced the earlier conversation with a summary. */
export interface ApiCompactionBlock {
  type: 'compaction';
  content: string | null;
  encrypted_content: string | null;
}

/** Another model continues the answer. */
export interface ApiFallbackBlock {
  type: 'fallback';
  from: { model: string };
  to: { model: string };
  trigger: { type: 'refusal'; category: RefusalCategory | null };
}

export type RefusalCategory = 'cyber' | 'bio' | 'frontier_llm' | 'reasoning_extraction' | 'general_harms';

/**
 * The blocks that an answer may consist of. The agent itself makes texts, thoughts and tool calls; it passes the other
 * kinds on.
 */
export type ApiContentBlock =
  | ApiTextBlock
  | ApiThinkingBlock
  | ApiRedactedThinkingBlock
  | ApiToolUseBlock
  | ApiServerToolUseBlock
  | ApiWebSearchResultBlock
  | ApiWebFetchResultBlock
  | ApiAdvisorResultBlock
  | ApiCodeExecutionResultBlock
  | ApiBashExecutionResultBlock
  | ApiTextEditorResultBlock
  | ApiToolSearchResultBlock
  | ApiMcpToolUseBlock
  | ApiMcpToolResultBlock
  | ApiMcpToolListingBlock
  | ApiContainerUploadBlock
  | ApiCompactionBlock
  | ApiFallbackBlock;
