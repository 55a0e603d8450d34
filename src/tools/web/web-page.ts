import { TextDecoder } from 'node:util';
import { ToolError } from '../tool.ts';
import { htmlToMarkdown } from './web-markdown.ts';

/** The text of a body for the model. Throws a ToolError for a body that is not text. Rejects with the abort reason. */
export async function pageText(body: Buffer, contentType: string, signal: AbortSignal): Promise<string> {
  const { type, charset } = parseContentType(contentType);
  const kind = kindOf(type, body);
  if (kind === 'binary') throw noText(type, body);
  const text = decodeText(body, charset ?? (kind === 'html' ? declaredCharset(body) : undefined));
  return kind === 'html' ? htmlToMarkdown(text, signal) : text;
}

function parseContentType(value: string): { type: string; charset: string | undefined } {
  const [type = '', ...parameters] = value.split(';');
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(each)?.[1]).find(Boolean);
  return { type: type.trim().toLowerCase(), charset };
}

const TEXT = /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-ndjson|x-sh|graphql|sql|rtf)$/;

function kindOf(type: string, body: Buffer): 'html' | 'text' | 'binary' {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (TEXT.test(type)) return 'text';
  if (type !== '') return 'binary';
  // The response has no content type: look into the body.
  const start = body.subarray(0, 1024);
  if (start.includes(0)) return 'binary';
  return /^\s*<(!doctype html|html|head|body)/i.test(start.toString('latin1')) ? 'html' : 'text';
}

/** Pages may name their encoding in the first kilobyte. */
function declaredCharset(body: Buffer): string | undefined {
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(body.subarray(0, 1024).toString('latin1'))?.[1];
}

/** UTF-8 unless the page names another known encoding. A byte order mark wins over that name. */
function decodeText(body: Buffer, charset: string | undefined): string {
  if (body[0] === 0xfe && body[1] === 0xff) return decoder('utf-16be').decode(body);
  if (body[0] === 0xff && body[1] === 0xfe) return decoder('utf-16le').decode(body);
  return decoder(charset ?? 'utf-8').decode(body);
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function noText(type: string, body: Buffer): ToolError {
  const what = `The URL leads to ${type || 'binary data'} (${body.length} bytes)`;
  return new ToolError(
    type === 'application/pdf'
      ? `${what}. Download the PDF with a command and read the file with Read.`
      : `${what}, which is no text. Download it with a command if it is needed.`,
  );
}
