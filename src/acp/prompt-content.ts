import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import { AcpError } from './rpc-link.ts';

/**
 * The content of a prompt, as the session takes it. A link to a file becomes a mention of it, which the session reads;
 * other resources become text.
 */
export function promptContent(blocks: unknown): string | JsonObject[] {
  if (!Array.isArray(blocks) || blocks.length === 0) throw invalid('prompt must be a list of content blocks');
  const parts = blocks.map(partOf);
  const texts = parts.filter((part): part is string => typeof part === 'string');
  if (texts.length === parts.length) return texts.join('');
  const content: JsonObject[] = [];
  let text = '';
  const flush = () => {
    if (text.trim() !== '') content.push({ type: 'text', text });
    text = '';
  };
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      flush();
      content.push(part);
    }
  }
  flush();
  return content;
}

function partOf(block: unknown): string | JsonObject {
  if (!isObject(block)) throw invalid('a content block must be an object');
  switch (block.type) {
    case 'text':
      return textOf(block, 'text');
    case 'image':
      return imageOf(block);
    case 'resource_link':
      return linkOf(textOf(block, 'uri'), stringField(block, 'name') ?? '');
    case 'resource':
      return resourceOf(block.resource);
    default:
      throw invalid(
        `a content block of the type ${String(block.type)} cannot be sent: text, image, resource_link or resource`,
      );
  }
}

function imageOf(block: JsonObject): JsonObject {
  const source = { type: 'base64', media_type: textOf(block, 'mimeType'), data: textOf(block, 'data') };
  return { type: 'image', source };
}

function linkOf(uri: string, name: string): string {
  const path = fileOf(uri);
  if (path === null) return name === '' ? uri : `${name} (${uri})`;
  // No mention can express such a name; the model can read it by its path.
  if (/["\p{Cc}]/u.test(path)) return path;
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

function resourceOf(resource: unknown): string | JsonObject {
  if (!isObject(resource)) throw invalid('a resource needs its contents');
  const uri = textOf(resource, 'uri');
  const mime = stringField(resource, 'mimeType') ?? '';
  const text = stringField(resource, 'text');
  if (text !== undefined) return `\n<resource uri=${JSON.stringify(uri)}>\n${text}\n</resource>\n`;
  const data = textOf(resource, 'blob');
  if (mime.startsWith('image/')) return { type: 'image', source: { type: 'base64', media_type: mime, data } };
  if (mime === 'application/pdf') {
    return { type: 'document', source: { type: 'base64', media_type: mime, data } };
  }
  throw invalid(`a resource of the type ${mime || 'unknown'} cannot be sent: text, images or PDF`);
}

/** Null for an address that is no local file. */
export function fileOf(uri: string): string | null {
  if (!uri.startsWith('file:')) return uri.startsWith('/') ? uri : null;
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

function textOf(block: JsonObject, name: string): string {
  const text = stringField(block, name);
  if (text === undefined) throw invalid(`${name} must be a string`);
  return text;
}

function invalid(message: string): AcpError {
  return new AcpError(RPC_ERRORS.invalidParams, message, { error_code: 'invalid_request' });
}
