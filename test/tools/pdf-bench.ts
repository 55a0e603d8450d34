import { deflateSync } from 'node:zlib';

export interface PdfOptions {
  /** Keeps its objects in a compressed stream, as newer files do. */
  packed?: boolean;
  /** Says that it is encrypted. */
  encrypted?: boolean;
  /** Bytes that only make it larger. */
  padding?: number;
}

/** A PDF with one line of text per page: "Text of page 1". An empty text makes a page without any. */
export function makePdf(texts: readonly string[], options: PdfOptions = {}): Buffer {
  const pageId = (index: number) => 4 + 2 * index;
  const kids = texts.map((_, index) => `${pageId(index)} 0 R`).join(' ');
  const objects = new Map<number, string>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`],
    [3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
  ]);
  const streams = new Map<number, string>();
  for (const [index, text] of texts.entries()) {
    const id = pageId(index);
    const resources = '<< /Font << /F1 3 0 R >> >>';
    objects.set(
      id,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources ${resources} /Contents ${id + 1} 0 R >>`,
    );
    const content = text === '' ? '' : `BT /F1 12 Tf 20 200 Td (${text}) Tj ET`;
    streams.set(id + 1, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  return options.packed ? packed(objects, streams) : plain(objects, streams, options);
}

function plain(objects: Map<number, string>, streams: Map<number, string>, options: PdfOptions): Buffer {
  let text = `%PDF-1.4\n%${' '.repeat(options.padding ?? 0)}\n`;
  const places: [id: number, at: number][] = [];
  for (const [id, body] of [...objects, ...streams]) {
    places.push([id, text.length]);
    text += `${id} 0 obj\n${body}\nendobj\n`;
  }
  places.sort(([a], [b]) => a - b);
  const start = text.length;
  const rows = places.map(([, at]) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = places.length + 1;
  const encrypt = options.encrypted ? ' /Encrypt 3 0 R' : '';
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R${encrypt} >>\n`;
  return Buffer.from(`${text}startxref\n${start}\n%%EOF\n`, 'latin1');
}

/** The objects in one object stream, and a cross-reference stream that says where everything is. */
function packed(objects: Map<number, string>, streams: Map<number, string>): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const bodies = [...objects];
  const packId = Math.max(...objects.keys(), ...streams.keys()) + 1;
  const places = new Map<number, [kind: number, place: number, index: number]>();

  for (const [id, body] of streams) {
    places.set(id, [1, length(), 0]);
    parts.push(Buffer.from(`${id} 0 obj\n${body}\nendobj\n`));
  }
  let offset = 0;
  const header = bodies.map(([id, body], index) => {
    places.set(id, [2, packId, index]);
    const at = offset;
    offset += body.length + 1;
    return `${id} ${at}`;
  });
  const first = `${header.join(' ')}\n`;
  const pack = deflateSync(`${first}${bodies.map(([, body]) => body).join('\n')}`);
  places.set(packId, [1, length(), 0]);
  const packHead = `/Type /ObjStm /N ${bodies.length} /First ${first.length} /Filter /FlateDecode /Length ${pack.length}`;
  parts.push(Buffer.from(`${packId} 0 obj\n<< ${packHead} >>\nstream\n`), pack, Buffer.from('\nendstream\nendobj\n'));

  const start = length();
  places.set(packId + 1, [1, start, 0]);
  const rows = Array.from({ length: packId + 2 }, (_, id) => row(places.get(id) ?? [0, 0, 65535]));
  const table = deflateSync(Buffer.concat(rows));
  const head = `/Type /XRef /Size ${rows.length} /W [1 4 2] /Root 1 0 R /Filter /FlateDecode /Length ${table.length}`;
  parts.push(Buffer.from(`${packId + 1} 0 obj\n<< ${head} >>\nstream\n`), table);
  parts.push(Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

function row([kind, place, index]: [number, number, number]): Buffer {
  const bytes = Buffer.alloc(7);
  bytes.writeUInt8(kind, 0);
  bytes.writeUInt32BE(place, 1);
  bytes.writeUInt16BE(index, 5);
  return bytes;
}
