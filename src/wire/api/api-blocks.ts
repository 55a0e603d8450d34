/**
 * The blocks of an answer of the Messages API, as programs read them: types only, in the form that the API's own packages
 * have, so that what is read here can be handed to functions that were written for those. Nothing checks them;
 * `content.ts` has the schemas of what the agent itself looks at.
 */

/** Where a text has something from. */
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

/** What the model has said. */
export interface ApiTextBlock {
  type: 'text';
  text: string;
  /** Absent where the API sent none. */
  citations: TextCitation[] | null;
}

/** What it has thought. */
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

/** What came of a search of the web. */
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

/** What another model has advised. */
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

/** Code that the API has run. */
export type ApiCodeExecutionResultBlock = ServerToolResult<
  'code_execution_tool_result',
  | Failed<'code_execution_tool_result_error', ExecutionErrorCode>
  | (Ran<'code_execution_result', 'code_execution_output'> & { stdout: string })
  | (Ran<'encrypted_code_execution_result', 'code_execution_output'> & { encrypted_stdout: string })
>;

/** A command that the API has run. */
export type ApiBashExecutionResultBlock = ServerToolResult<
  'bash_code_execution_tool_result',
  | Failed<'bash_code_execution_tool_result_error', ExecutionErrorCode | 'output_file_too_large'>
  | (Ran<'bash_code_execution_result', 'bash_code_execution_output'> & { stdout: string })
>;

/** A file that the API has shown, made or changed, in a place of its own. */
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

/** Tools that the API has found. */
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

/** The tools of such a server. */
export interface ApiMcpToolListingBlock {
  type: 'mcp_tool_listing';
  mcp_server_name: string;
  tools: { name: string; description?: string; input_schema: { [name: string]: unknown } }[];
}

/** A file that was put into the place where code runs. */
export interface ApiContainerUploadBlock {
  type: 'container_upload';
  file_id: string;
}

/** The API has replaced what was said before by a summary. */
export interface ApiCompactionBlock {
  type: 'compaction';
  content: string | null;
  encrypted_content: string | null;
}

/** Another model goes on with the answer. */
export interface ApiFallbackBlock {
  type: 'fallback';
  from: { model: string };
  to: { model: string };
  trigger: { type: 'refusal'; category: RefusalCategory | null };
}

export type RefusalCategory = 'cyber' | 'bio' | 'frontier_llm' | 'reasoning_extraction' | 'general_harms';

/** What an answer may consist of. The agent itself makes texts, thoughts and tool calls; the others pass through. */
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
