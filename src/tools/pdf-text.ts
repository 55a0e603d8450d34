import type { OptionalPackages } from './optional-package.ts';

/** An open PDF. Whoever opened it closes it. */
export interface PdfText {
  readonly pages: number;
  /** The text of a page, line by line; empty when it has none, as scans have. */
  textOf(page: number): Promise<string>;
  close(): Promise<void>;
}

/** Throws when the file is damaged. */
export async function openPdf(bytes: Uint8Array, { getDocumentProxy }: OptionalPackages['unpdf']): Promise<PdfText> {
  // A copy: what is handed in is taken over and lost to us. Without verbosity 0 it writes to the console.
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
