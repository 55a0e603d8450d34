import type { ApiContentBlock, RefusalCategory, TextCitation } from './api-blocks.ts';

export type ApiStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded';

/** The tokens of one answer. A provider leaves out the numbers that it does not count. */
export interface ApiMessageUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number } | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
  output_tokens_details: { thinking_tokens: number } | null;
  service_tier: 'standard' | 'priority' | 'batch' | null;
  inference_geo: string | null;
  speed: 'standard' | 'fast' | null;
  iterations: ApiIteration[] | null;
  fallback_credit: FallbackCredit | null;
}

/** The tokens of one model run, for an answer that consists of several runs. */
export interface ApiIteration {
  type: 'compaction';
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number } | null;
}

export interface FallbackCredit {
  status: { type: 'redeemed' };
}

interface ContextManagement {
  applied_edits: (
    | { type: 'clear_tool_uses_20250919'; cleared_input_tokens: number; cleared_tool_uses: number }
    | { type: 'clear_thinking_20251015'; cleared_input_tokens: number; cleared_thinking_turns: number }
  )[];
}

interface StopDetails {
  type: 'refusal';
  category: RefusalCategory | null;
  explanation: string | null;
  fallback_credit_token: string | null;
  fallback_has_prefill_claim: boolean | null;
  recommended_model: string | null;
}

interface Container {
  id: string;
  expires_at: string;
  skills: { skill_id: string; type: 'anthropic' | 'custom'; version: string }[] | null;
}

/**
 * An answer of the model. A field that the model's API did not send is absent, even where the types of the API's
 * package say otherwise.
 */
export interface ApiAnswer {
  /** The id of the answer. Each block of the answer comes in its own message, and these messages share this id. */
  id: string;
  type: 'message';
  role: 'assistant';
  /** The model that wrote the answer; `<synthetic>` for a text that Heddle wrote. */
  model: string;
  /** One block in each message: a text, a thought, a tool call, or the work of a tool that the provider ran. */
  content: ApiContentBlock[];
  /** Null in a message that comes before the answer is complete. */
  stop_reason: ApiStopReason | null;
  stop_sequence: string | null;
  stop_details: StopDetails | null;
  usage: ApiMessageUsage;
  container: Container | null;
  context_management: ContextManagement | null;
  diagnostics: { cache_miss_reason: { type: 'unavailable' } | null } | null;
}

export type ApiContentDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string; estimated_tokens: number | null }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: TextCitation }
  | { type: 'compaction_delta'; content: string | null; encrypted_content: string | null };

/** An event of a streamed answer. */
export type ApiStreamEvent =
  | { type: 'message_start'; message: ApiAnswer }
  | { type: 'content_block_start'; index: number; content_block: ApiContentBlock }
  | { type: 'content_block_delta'; index: number; delta: ApiContentDelta }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta';
      context_management: ContextManagement | null;
      delta: {
        stop_reason: ApiStopReason | null;
        stop_sequence: string | null;
        stop_details: StopDetails | null;
        container: Container | null;
      };
      usage: {
        input_tokens: number | null;
        output_tokens: number;
        cache_creation_input_tokens: number | null;
        cache_read_input_tokens: number | null;
        server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
        output_tokens_details: { thinking_tokens: number } | null;
        iterations: ApiIteration[] | null;
        fallback_credit: FallbackCredit | null;
      };
    }
  | { type: 'message_stop' };
