import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTool } from '../../../src/tools/files/read.ts';
import { readImage } from '../../../src/tools/files/read-image.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { imageInfo } from '../../../src/util/image-info.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

type Format = 'png' | 'jpeg' | 'gif' | 'webp';

function picture(width: number, height: number, format: Format = 'png'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#3366cc' } })
    .toFormat(format)
    .toBuffer();
}

/** Cannot be made smaller without loss. */
function noise(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 as const };
  return sharp(randomBytes(width * height * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

const withoutSharp = async () => null;

function read(name: string, bytes: Buffer) {
  const path = bench.file(name, bytes);
  return bench.run(readTool, { file_path: path });
}

/** The image of a result, as the model gets it. */
function shown(content: unknown): { mediaType: string; bytes: Buffer } {
  const [block, ...more] = content as { type: string; source: { media_type: string; data: string } }[];
  expect(more).toEqual([]);
  expect(block).toMatchObject({ type: 'image', source: { type: 'base64' } });
  return { mediaType: block!.source.media_type, bytes: Buffer.from(block!.source.data, 'base64') };
}

test.each<[Format, string]>([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
])('[TOOL-03] %s: one image block, byte for byte, known by its bytes and not by its name', async (format, type) => {
  const bytes = await picture(40, 30, format);
  const { content, data } = await read('picture.dat', bytes);
  expect(shown(content)).toEqual({ mediaType: type, bytes });
  expect(data).toEqual({
    type: 'image',
    file: {
      base64: bytes.toString('base64'),
      type,
      originalSize: bytes.length,
      dimensions: { originalWidth: 40, originalHeight: 30, displayWidth: 40, displayHeight: 30 },
    },
  });
});

test('all kinds of WebP and JPEG are measured', async () => {
  const base = sharp({ create: { width: 123, height: 45, channels: 4, background: '#0008' } });
  const kinds = [
    base.clone().webp({ lossless: true }),
    base.clone().webp({ lossless: false }),
    base.clone().flatten().webp(),
    base.clone().flatten().jpeg({ progressive: true }),
    base.clone().flatten().withMetadata({ orientation: 6 }).jpeg(),
  ];
  for (const kind of kinds) {
    expect(imageInfo(await kind.toBuffer())).toMatchObject({ width: 123, height: 45 });
  }
});

test('SVG is text', async () => {
  const { data } = await read('a.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>\n'));
  expect(data).toMatchObject({ type: 'text' });
});

test('[K34] data does not carry a large image, the content does', async () => {
  const bytes = await noise(400, 400);
  const { content, data } = await read('noise.png', bytes);
  expect(shown(content).bytes.equals(bytes)).toBe(true);
  expect(data).toMatchObject({ file: { base64: '', originalSize: bytes.length } });
});

describe('too large', () => {
  test('in pixels: scaled down to 1568 on the long side', async () => {
    const { content, data } = await read('wide.png', await picture(9000, 300));
    const image = shown(content);
    expect(imageInfo(image.bytes)).toEqual({ mediaType: 'image/png', width: 1568, height: 52 });
    expect(data).toMatchObject({
      file: { dimensions: { originalWidth: 9000, originalHeight: 300, displayWidth: 1568, displayHeight: 52 } },
    });
  });

  test('in bytes: encoded again until it fits', async () => {
    const bytes = await noise(1500, 1500);
    expect(bytes.length).toBeGreaterThan(4 * 1024 * 1024);
    const { content } = await read('noise.png', bytes);
    const image = shown(content);
    expect(image.bytes.length).toBeLessThanOrEqual(3.75 * 1024 * 1024);
    expect(imageInfo(image.bytes)).toMatchObject({ mediaType: image.mediaType, width: 1500, height: 1500 });
  });

  test('without sharp: an error that says what to do', async () => {
    const bytes = await picture(9000, 10);
    const path = bench.file('wide.png', bytes);
    const found = { path, size: bytes.length, head: bytes };
    await expect(readImage(found, bench.context, withoutSharp)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/9000 x 10 pixels.*-resize.*npm install sharp/),
    });
    const small = await picture(10, 10);
    const fine = { path: bench.file('small.png', small), size: small.length, head: small };
    await expect(readImage(fine, bench.context, withoutSharp)).resolves.toBeDefined();
  });

  test('and damaged, so that it cannot be scaled', async () => {
    const bytes = await noise(1500, 1500);
    bytes.fill(0, 100, bytes.length - 100);
    await expect(read('noise.png', bytes)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/damaged/),
    });
  });
});

test.each<Format>(['png', 'jpeg', 'webp'])('a %s that was cut off is not given to the model', async (format) => {
  const bytes = await picture(200, 200, format);
  for (const part of [0.3, 0.9]) {
    const cut = bytes.subarray(0, Math.max(20, Math.floor(bytes.length * part)));
    await expect(read('cut', cut)).rejects.toThrow(/damaged or incomplete image/);
  }
});

test('an image is not replaced by text', async () => {
  const path = bench.file('a.png', await picture(4, 4));
  const before = readFileSync(path);
  await bench.run(readTool, { file_path: path });
  await expect(bench.run(writeTool, { file_path: path, content: 'x' })).rejects.toThrow(/a PNG image/);
  expect(readFileSync(path)).toEqual(before);
});
