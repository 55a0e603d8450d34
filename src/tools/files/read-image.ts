import { type ImageInfo, imageInfo } from '../../util/image-info.ts';
import type { FileReadOutput } from '../../wire/tools/tool-outputs.ts';
import { boundBase64 } from '../bounded-field.ts';
import type { PackageLoader } from '../optional-package.ts';
import { type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import type { ReadableFile } from './file-kind.ts';
import { fitImage } from './image-fit.ts';
import { markBytesSeen } from './seen-files.ts';
import { MAX_LOADED_BYTES } from './text-file.ts';

/** An image as the model sees it: as it is, or scaled down when it is too large and sharp is installed. */
export async function readImage(
  { path, size }: ReadableFile,
  context: ToolContext,
  loadSharp?: PackageLoader<'sharp'>,
): Promise<ToolOutput> {
  if (size > MAX_LOADED_BYTES) throw new ToolError(`${path} is an image of over 64 MB. ${SCALE}`);
  const bytes = await context.workspace.readFile(path);
  const info = imageInfo(bytes);
  if (!info) throw new ToolError(`${path} is a damaged or incomplete image.`);
  const image = await fitImage(bytes, info, loadSharp).catch((cause) => {
    throw new ToolError(`${path} is too large an image, and it could not be scaled down: it may be damaged.`, {
      cause,
    });
  });
  if (!image) throw tooLarge(path, info, size);
  markBytesSeen(path, bytes, context, { whole: true });
  const base64 = Buffer.from(image.bytes).toString('base64');
  return {
    content: [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: base64 } }],
    data: {
      type: 'image',
      file: {
        base64: boundBase64(base64),
        type: image.mediaType,
        originalSize: bytes.length,
        dimensions: {
          originalWidth: info.width,
          originalHeight: info.height,
          displayWidth: image.width,
          displayHeight: image.height,
        },
      },
    } satisfies FileReadOutput,
  };
}

function tooLarge(path: string, { width, height }: ImageInfo, size: number): ToolError {
  const details = `${width} x ${height} pixels, ${Math.round(size / 1024)} KB`;
  const limits = 'at most 8000 pixels on a side and 3.75 MB';
  const itself = 'Where the package sharp is installed (`npm install sharp`), that happens by itself.';
  return new ToolError(`${path} is too large an image to be shown (${details}; ${limits}). ${SCALE} ${itself}`);
}

const SCALE = 'Make a smaller copy with a command, such as `convert in.png -resize 1568x1568 out.png`, and read that.';
