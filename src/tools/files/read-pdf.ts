import type { FileReadOutput } from '../../wire/tools/tool-outputs.ts';
import { boundBase64 } from '../bounded-field.ts';
import { type OptionalPackages, optionalPackage, type PackageLoader } from '../optional-package.ts';
import { type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import type { ReadableFile } from './file-kind.ts';
import { type PdfInfo, scanPdf } from './pdf-scan.ts';
import { markBytesSeen } from './seen-files.ts';

/** The size limit for reading a PDF, and the limit for passing it to the model as it is. */
const MAX_PDF_BYTES = 100 * 1024 * 1024;
const MAX_WHOLE_BYTES = 20 * 1024 * 1024;

interface Pdf {
  path: string;
  bytes: Uint8Array;
  info: PdfInfo;
}

/** A short PDF as a document, which shows the model text and images; for a longer one the text of chosen pages. */
export async function readPdf(
  { path, size }: ReadableFile,
  pages: string | undefined,
  context: ToolContext,
  loadUnpdf: PackageLoader<'unpdf'> = () => optionalPackage('unpdf'),
): Promise<ToolOutput> {
  if (size > MAX_PDF_BYTES) throw new ToolError(`${path} is a PDF of over 100 MB. ${otherWay(path, pages)}`);
  const bytes = await context.workspace.readFile(path);
  const info = scanPdf(bytes);
  if (!info.isComplete) throw damaged(path);
  if (info.isEncrypted) {
    throw new ToolError(`${path} is an encrypted PDF. Decrypt it first, such as with \`qpdf --decrypt\`.`);
  }
  markBytesSeen(path, bytes, context, { whole: false });
  const pdf = { path, bytes, info };
  const unpdf = await loadUnpdf();
  if (!unpdf) return readWithoutPackage(pdf, pages);
  const text = await openPdf(bytes, unpdf).catch((cause) => {
    throw damaged(path, cause);
  });
  try {
    return await readWithPackage(pdf, pages, text, context.signal);
  } finally {
    await text.close();
  }
}

async function readWithPackage(
  pdf: Pdf,
  pages: string | undefined,
  text: PdfText,
  signal: AbortSignal,
): Promise<ToolOutput> {
  if (pages) return selectedPages(pdf, selectPages(pdf.path, pages, text.pages), text, signal);
  if (isShort(pdf, text.pages)) return wholeDocument(pdf, text.pages, '');
  throw new ToolError(`${describe(pdf, text.pages)} Say which pages to read, at most 20 at once, with \`pages\`.`);
}

function readWithoutPackage(pdf: Pdf, pages: string | undefined): ToolOutput {
  const count = pdf.info.pages;
  if (pages) selectPages(pdf.path, pages, null); // invalid input is reported first
  if (isShort(pdf, count)) {
    const note = pages ? ' Single pages need the package unpdf, which is not installed, so all of it is given.' : '';
    return wholeDocument(pdf, count, note);
  }
  const missing = 'To read pages of it, the package unpdf must be installed (`npm install unpdf`).';
  throw new ToolError(`${describe(pdf, count)} ${missing} ${otherWay(pdf.path, pages)}`);
}

function isShort({ bytes }: Pdf, pages: number | null): boolean {
  return pages !== null && pages <= MAX_WHOLE_PAGES && bytes.length <= MAX_WHOLE_BYTES;
}

function wholeDocument({ path, bytes }: Pdf, pages: number | null, note: string): ToolOutput {
  const base64 = Buffer.from(bytes).toString('base64');
  return {
    content: [
      { type: 'text', text: `${path}: a PDF of ${pages} ${pages === 1 ? 'page' : 'pages'}.${note}` },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
    ],
    data: {
      type: 'pdf',
      file: { filePath: path, base64: boundBase64(base64), originalSize: bytes.length, totalPages: pages },
    } satisfies FileReadOutput,
  };
}

async function selectedPages(
  { path, bytes }: Pdf,
  pages: readonly number[],
  text: PdfText,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const parts: string[] = [];
  for (const page of pages) {
    signal.throwIfAborted();
    const words = await text.textOf(page).catch((cause) => {
      throw damaged(path, cause);
    });
    parts.push(`Page ${page} of ${text.pages}:\n${words || '[no text; it may be a picture]'}`);
  }
  const file = { filePath: path, base64: '', originalSize: bytes.length, totalPages: text.pages, pages };
  return { content: parts.join('\n\n'), data: { type: 'pdf', file } satisfies FileReadOutput };
}

function selectPages(path: string, pages: string, total: number | null): number[] {
  try {
    return parsePages(pages, total);
  } catch (error) {
    if (error instanceof RangeError) throw new ToolError(`${path}: ${error.message}.`, { wrap: true });
    throw error;
  }
}

function describe({ path, bytes }: Pdf, pages: number | null): string {
  const count = pages === null ? 'an unknown number of' : pages;
  const megabytes = (bytes.length / 1024 / 1024).toFixed(1);
  return `${path} is a PDF of ${count} pages and ${megabytes} MB, which is too long to be given whole.`;
}

function otherWay(path: string, pages: string | undefined): string {
  const [, first = '1', last = first] = /^(\d+)(?:-(\d+))?/.exec(pages ?? '') ?? [];
  return `A command may do it too: \`pdftotext -f ${first} -l ${last} ${JSON.stringify(path)} -\`.`;
}

function damaged(path: string, cause?: unknown): ToolError {
  return new ToolError(`${path} is a damaged or incomplete PDF.`, { cause });
}

/** A PDF file of at most this many pages is sent whole; for longer ones the call must choose pages. */
export const MAX_WHOLE_PAGES = 10;
/** The most pages in one call. */
const MAX_CHOSEN_PAGES = 20;

/**
 * The page numbers of "3", "1-5" or "1,3-4", in ascending order. Throws a RangeError that names the problem: not
 * numbers, too many, or beyond `total` where that is known.
 */
export function parsePages(text: string, total: number | null): number[] {
  const pages = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from < 1 || to < from) {
      throw new RangeError(`pages must be like "3", "1-5" or "1,3-4", not ${JSON.stringify(text)}`);
    }
    if (total !== null && to > total) throw new RangeError(`there is no page ${to}: the file has ${total} pages`);
    if (to - from >= MAX_CHOSEN_PAGES) throw tooMany();
    for (let page = from; page <= to; page++) pages.add(page);
  }
  if (pages.size > MAX_CHOSEN_PAGES) throw tooMany();
  return [...pages].sort((a, b) => a - b);
}

function tooMany(): RangeError {
  return new RangeError(`at most ${MAX_CHOSEN_PAGES} pages can be read at once`);
}

/** An open PDF. The caller that opened it closes it. */
export interface PdfText {
  readonly pages: number;
  /** The text of a page, line by line; empty when it has none, as scans have. */
  textOf(page: number): Promise<string>;
  close(): Promise<void>;
}

/** Throws when the file is damaged. */
export async function openPdf(bytes: Uint8Array, { getDocumentProxy }: OptionalPackages['unpdf']): Promise<PdfText> {
  // A copy, because the package takes over the buffer. Without verbosity 0 it writes to the console.
  const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
  return {
    pages: document.numPages,
    async textOf(number) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      page.cleanup();
      return items
        .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
        .join('')
        .trim();
    },
    close: () => document.destroy(),
  };
}
