import * as z from 'zod/mini';
import { AnyObject, kinds, open, type Schema } from '../schema.ts';

/** Where a provider may set a cache breakpoint. */
export const CacheControl = open(() => ({ type: z.literal('ephemeral'), ttl: z.optional(z.string()) }));
export type CacheControl = z.infer<typeof CacheControl>;

const cached = { cache_control: z.optional(z.nullable(CacheControl)) };

export const TextBlock = open(() => ({
  type: z.literal('text'),
  text: z.string(),
  citations: z.optional(z.nullable(z.array(z.unknown()))),
  ...cached,
}));
export type TextBlock = z.infer<typeof TextBlock>;

export const ThinkingBlock = open(() => ({
  type: z.literal('thinking'),
  thinking: z.string(),
  /** Proves to the provider that the thought is its own. Heddle sends it back unchanged. */
  signature: z.optional(z.string()),
}));
export type ThinkingBlock = z.infer<typeof ThinkingBlock>;

export const RedactedThinkingBlock = open(() => ({ type: z.literal('redacted_thinking'), data: z.string() }));
export type RedactedThinkingBlock = z.infer<typeof RedactedThinkingBlock>;

export const ToolUseBlock = open(() => ({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: AnyObject,
  ...cached,
}));
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;

/** Bytes of an image or a document, inline or by reference. */
export const Source = kinds('type', () => [
  open({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  open({ type: z.literal('url'), url: z.string() }),
  open({ type: z.literal('text'), media_type: z.string(), data: z.string() }),
  open({ type: z.literal('file'), file_id: z.string() }),
]);
export type Source = z.infer<typeof Source>;

export const ImageBlock = open(() => ({ type: z.literal('image'), source: Source, ...cached }));
export type ImageBlock = z.infer<typeof ImageBlock>;

export const DocumentBlock = open(() => ({
  type: z.literal('document'),
  source: Source,
  title: z.optional(z.nullable(z.string())),
  context: z.optional(z.nullable(z.string())),
  ...cached,
}));
export type DocumentBlock = z.infer<typeof DocumentBlock>;

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | ContentBlock[] | undefined;
  is_error?: boolean | undefined;
  cache_control?: CacheControl | null | undefined;
}

export const ToolResultBlock: Schema<ToolResultBlock> = open(() => ({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.optional(z.union([z.string(), z.array(ContentBlock)])),
  is_error: z.optional(z.boolean()),
  ...cached,
}));

/** The kinds of block that Heddle knows. Heddle reads, stores and passes on other kinds, which have no type here. */
export type ContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock;

export const ContentBlock: Schema<ContentBlock> = kinds('type', () => [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  ImageBlock,
  DocumentBlock,
]);

/** The content of a user message: plain text, or blocks. */
export const Content = z.union([z.string(), z.array(ContentBlock)]);
export type Content = z.infer<typeof Content>;
