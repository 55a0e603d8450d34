import { resultProblem } from '../../define/tool-result.ts';
import { imageInfo } from '../../util/image-info.ts';
import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { textOf } from '../../wire/api/text-of.ts';
import { boundBase64, boundField, boundList, jsonBytes } from '../bounded-field.ts';
import { isSmallEnough } from '../files/image-fit.ts';
import { ToolError, type ToolOutput } from '../tool.ts';

/**
 * Reads the value that a handler returned. Throws a ToolError for a result marked as an error and for an invalid one.
 */
export function readResult(value: unknown): ToolOutput {
  if (typeof value === 'string') return { content: value || NO_OUTPUT, data: boundField(value) };
  const problem = resultProblem(value);
  if (!isObject(value) || problem !== null) throw new ToolError(`${BAD_RESULT} Its handler ${problem}.`);
  const { content, isError } = value;
  const structuredContent = plain(value.structuredContent);
  const blocks = toBlocks(content ?? [], structuredContent);
  if (isError === true) throw new ToolError(textOf(blocks) || 'The tool failed without saying why.');
  return { content: blocks.length === 0 ? NO_OUTPUT : blocks, data: forPeople(blocks, structuredContent) };
}

const NO_OUTPUT = '(no output)';
const BAD_RESULT = 'The tool did not return a result that can be read.';
/** The most that all blocks and the structured content may take together. */
const MAX_DATA_BYTES = 800_000;
/** The image types that model APIs accept. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The most that all images of a result may take together, as sent: a request needs room for other images. */
const MAX_PICTURES = 5 * 1024 * 1024;

/** Structured content is for programs; without other content, the model reads it as JSON. */
function toBlocks(content: unknown, structuredContent: unknown): ContentBlock[] {
  if (!Array.isArray(content)) throw new ToolError(`${BAD_RESULT} Its content must be an array.`);
  const blocks = fewPictures(content.map(toBlock)).filter((block) => block.type !== 'text' || block.text !== '');
  if (blocks.length > 0 || structuredContent === undefined) return blocks;
  return [text(JSON.stringify(structuredContent))];
}

function fewPictures(blocks: readonly ContentBlock[]): ContentBlock[] {
  let left = MAX_PICTURES;
  return blocks.map((block) => {
    if (block.type !== 'image' || block.source.type !== 'base64') return block;
    left -= block.source.data.length;
    return left >= 0 ? block : text('[image: not shown, the result has too many of them]');
  });
}

function toBlock(item: unknown): ContentBlock {
  const { type, text: said, data, mimeType, resource, uri, name } = isObject(item) ? item : {};
  if (type === 'text' && typeof said === 'string') return text(said);
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return image(data, mimeType);
  if (type === 'audio') return text(`[audio, ${String(mimeType)}: not shown]`);
  if (type === 'resource' && isObject(resource)) return toResource(resource);
  if (type === 'resource_link' && typeof uri === 'string') return text(`[${String(name ?? 'resource')}: ${uri}]`);
  throw new ToolError(`${BAD_RESULT} Its content has an item of the type ${JSON.stringify(type)}.`);
}

function toResource({ uri, text: said, blob, mimeType }: { [key: string]: unknown }): ContentBlock {
  if (typeof said === 'string') return text(said);
  if (typeof blob === 'string' && IMAGE_TYPES.has(String(mimeType))) return image(blob, String(mimeType));
  return text(`[${String(uri)}, ${String(mimeType ?? 'unknown type')}: not shown]`);
}

/** Leaves out an image that an API would refuse, because it would refuse every later request as well. */
function image(data: string, mimeType: string): ContentBlock {
  if (!IMAGE_TYPES.has(mimeType)) return text(`[image, ${mimeType}: not shown]`);
  const bytes = Buffer.from(data, 'base64');
  const info = imageInfo(bytes);
  if (info === null) return text(`[image, ${mimeType}: damaged, not shown]`);
  if (!isSmallEnough(bytes, info)) return text(`[image, ${info.width}×${info.height}: too large, not shown]`);
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/**
 * The value after a round trip through JSON. A value that JSON cannot hold (a big integer, a circle) is not a valid
 * result.
 */
function plain(value: unknown): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (error) {
    throw new ToolError(`${BAD_RESULT} Its structuredContent is not JSON: ${messageOf(error)}`);
  }
}

/**
 * The data for the line that people and programs read; the model gets the whole. A structure that is too large is left
 * out, because half of it would be of no use.
 */
function forPeople(blocks: readonly ContentBlock[], structuredContent: unknown): unknown {
  if (structuredContent === undefined) return boundBlocks(blocks, MAX_DATA_BYTES);
  const bytes = jsonBytes(structuredContent);
  if (bytes <= MAX_DATA_BYTES) return { content: boundBlocks(blocks, MAX_DATA_BYTES - bytes), structuredContent };
  const note = text(`[… structuredContent left out: it has ${bytes} bytes …]`);
  return { content: [...boundBlocks(blocks, MAX_DATA_BYTES), note] };
}

function boundBlocks(blocks: readonly ContentBlock[], maxBytes: number): ContentBlock[] {
  const all = blocks.map(boundBlock);
  const shown = boundList(all, maxBytes);
  const missing = all.length - shown.length;
  return missing === 0 ? shown : [...shown, text(`[… ${missing} more blocks left out …]`)];
}

function boundBlock(block: ContentBlock): ContentBlock {
  if (block.type === 'text') return { ...block, text: boundField(block.text) };
  if (block.type !== 'image' || block.source.type !== 'base64') return block;
  return { ...block, source: { ...block.source, data: boundBase64(block.source.data) } };
}

function text(said: string): ContentBlock {
  return { type: 'text', text: said };
}
