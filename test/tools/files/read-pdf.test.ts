import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { scanPdf } from '../../../src/tools/files/pdf-scan.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { parsePages, readPdf } from '../../../src/tools/files/read-pdf.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { type Bench, createBench } from '../bench.ts';
import { makePdf, type PdfOptions } from '../pdf-bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

function pages(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Text of page ${index + 1}`);
}

function pdf(count: number, options?: PdfOptions): string {
  return bench.file('paper.pdf', makePdf(pages(count), options));
}

function read(path: string, chosen?: string) {
  return bench.run(readTool, { file_path: path, ...(chosen !== undefined && { pages: chosen }) });
}

function readWithoutUnpdf(path: string, chosen?: string) {
  const bytes = readFileSync(path);
  return readPdf({ path, size: bytes.length, head: bytes }, chosen, bench.context, async () => null);
}

describe.each([
  ['with unpdf', read],
  ['without unpdf', readWithoutUnpdf],
])('%s', (_name, reading) => {
  test.each([false, true])('[TOOL-03] a short PDF is a document (packed: %s)', async (packed) => {
    const path = pdf(3, { packed });
    const base64 = readFileSync(path).toString('base64');
    const { content, data } = await reading(path);
    expect(content).toEqual([
      { type: 'text', text: `${path}: a PDF of 3 pages.` },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
    ]);
    expect(data).toEqual({
      type: 'pdf',
      file: { filePath: path, base64, originalSize: readFileSync(path).length, totalPages: 3 },
    });
  });

  test('of a long one the pages must be said', async () => {
    await expect(reading(pdf(11))).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/a PDF of 11 pages and 0\.0 MB, which is too long to be given whole\./),
    });
  });

  test('so must they of a large one', async () => {
    await expect(reading(pdf(2, { padding: 21 * 1024 * 1024 }))).rejects.toThrow(/2 pages and 21\.0 MB/);
  });

  test('an encrypted or incomplete one is refused', async () => {
    await expect(reading(pdf(1, { encrypted: true }))).rejects.toThrow(/encrypted PDF\. Decrypt/);
    const whole = makePdf(pages(2));
    const cut = bench.file('cut.pdf', whole.subarray(0, whole.length / 2));
    await expect(reading(cut)).rejects.toThrow(/damaged or incomplete PDF/);
  });

  test('pages that make no sense are refused', async () => {
    const path = pdf(2);
    for (const chosen of ['x', '0', '3-1', '1,,2', '-1', '1-21']) {
      await expect(reading(path, chosen)).rejects.toMatchObject({ name: 'ToolError', wrap: true });
    }
  });

  test('[K34] data does not carry a large document', async () => {
    const { data } = await reading(pdf(1, { padding: 300_000 }));
    expect(data).toMatchObject({ file: { base64: '' } });
  });
});

describe('chosen pages', () => {
  test('[TOOL-03] come as text, one after the other', async () => {
    const path = pdf(30);
    const { content, data } = await read(path, '2,29-30');
    expect(content).toBe(
      'Page 2 of 30:\nText of page 2\n\nPage 29 of 30:\nText of page 29\n\nPage 30 of 30:\nText of page 30',
    );
    const originalSize = readFileSync(path).length;
    expect(data).toEqual({
      type: 'pdf',
      file: { filePath: path, base64: '', originalSize, totalPages: 30, pages: [2, 29, 30] },
    });
  });

  test('may be of a short file too, and of a packed one', async () => {
    expect((await read(pdf(3, { packed: true }), '2')).content).toBe('Page 2 of 3:\nText of page 2');
  });

  test('that have no text say so', async () => {
    const path = bench.file('scan.pdf', makePdf(['', 'words']));
    expect((await read(path, '1')).content).toMatch(/Page 1 of 2:\n\[no text/);
  });

  test('that are not there are refused', async () => {
    await expect(read(pdf(12), '12-13')).rejects.toThrow(/no page 13: the file has 12 pages/);
  });

  test('without unpdf: a short file is given whole, for a long one it is said what is missing', async () => {
    const { content } = await readWithoutUnpdf(pdf(3), '2');
    expect(content).toMatchObject([{ text: expect.stringMatching(/need the package unpdf/) }, { type: 'document' }]);
    await expect(readWithoutUnpdf(pdf(12), '4-6')).rejects.toThrow(/npm install unpdf.*pdftotext -f 4 -l 6 ".*paper/);
  });
});

test('a damaged file says nothing on the console', async () => {
  const spies = (['log', 'warn', 'error', 'info'] as const).map((name) => vi.spyOn(console, name));
  const path = bench.file('odd.pdf', '%PDF-1.4\nno objects at all\n%%EOF\n');
  await expect(read(path)).rejects.toThrow(/damaged or incomplete PDF/);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test('a PDF is known by its bytes, and not replaced by text', async () => {
  const path = bench.file('paper.txt', makePdf(pages(1)));
  expect((await read(path)).data).toMatchObject({ type: 'pdf' });
  await expect(bench.run(writeTool, { file_path: path, content: 'x' })).rejects.toThrow(/a PDF document/);
});

test('pages are given as numbers and ranges', () => {
  expect(parsePages('3', null)).toEqual([3]);
  expect(parsePages('1-5', 5)).toEqual([1, 2, 3, 4, 5]);
  expect(parsePages(' 4 , 1-2, 2 ', null)).toEqual([1, 2, 4]);
  expect(parsePages('11-30', null)).toHaveLength(20);
  expect(() => parsePages('1-15,20-30', null)).toThrow(/at most 20/);
  expect(() => parsePages('1-999999', null)).toThrow(/at most 20/);
});

test('without an understanding of the format, pages are counted or unknown', () => {
  expect(scanPdf(makePdf(pages(7)))).toEqual({ pages: 7, isEncrypted: false, isComplete: true });
  expect(scanPdf(makePdf(pages(7), { packed: true }))).toMatchObject({ pages: 7 });
  expect(scanPdf(Buffer.from('%PDF-1.4\n/Type /ObjStm stream\nnot packed\nendstream\n%%EOF'))).toMatchObject({
    pages: null,
  });
});
