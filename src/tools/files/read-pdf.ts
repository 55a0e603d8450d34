import type { FileReadOutput } from '../wire/tool-outputs.ts';
import { boundBase64 } from './bounded-field.ts';
import { noteBytes } from './known-files.ts';
import { optionalPackage, type PackageLoader } from './optional-package.ts';
import { MAX_WHOLE_PAGES, parsePages } from './pdf-pages.ts';
import { type PdfFacts, scanPdf } from './pdf-scan.ts';
import { openPdf, type PdfText } from './pdf-text.ts';
import type { FoundFile } from './read-run.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';

/** What is taken into memory, and what is given to the model as it is. */
const MAX_PDF_BYTES = 100 * 1024 * 1024;
const MAX_WHOLE_BYTES = 20 * 1024 * 1024;

interface Pdf {
  path: string;
  bytes: Uint8Array;
  facts: PdfFacts;
}

/** A short PDF as a document, which shows the model text and pictures; of a longer one the text of chosen pages. */
export async function readPdf(
  { path, size }: FoundFile,
  pages: string | undefined,
  context: ToolContext,
  loadUnpdf: PackageLoader<'unpdf'> = () => optionalPackage('unpdf'),
): Promise<ToolOutput> {
  if (size > MAX_PDF_BYTES) throw new ToolError(`${path} is a PDF of over 100 MB. ${otherWay(path, pages)}`);
  const bytes = await context.workspace.readFile(path);
  const facts = scanPdf(bytes);
  if (!facts.isComplete) throw damaged(path);
  if (facts.isEncrypted) {
    throw new ToolError(`${path} is an encrypted PDF. Decrypt it first, such as with \`qpdf --decrypt\`.`);
  }
  noteBytes(path, bytes, context, { whole: false });
  const pdf = { path, bytes, facts };
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
  if (pages) return chosenPages(pdf, choose(pdf.path, pages, text.pages), text, signal);
  if (isShort(pdf, text.pages)) return wholeDocument(pdf, text.pages, '');
  throw new ToolError(`${describe(pdf, text.pages)} Say which pages to read, at most 20 at once, with \`pages\`.`);
}

function readWithoutPackage(pdf: Pdf, pages: string | undefined): ToolOutput {
  const count = pdf.facts.pages;
  if (pages) choose(pdf.path, pages, null); // an input that makes no sense is said first
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

async function chosenPages(
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

function choose(path: string, pages: string, total: number | null): number[] {
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
