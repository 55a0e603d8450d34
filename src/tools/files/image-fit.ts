import type sharp from 'sharp';
import { type ImageInfo, imageInfo } from '../../util/image-info.ts';
import type { ImageBlock } from '../../wire/api/content.ts';
import { optionalPackage, type PackageLoader } from '../optional-package.ts';

/** An image as it is sent. */
export interface FittedImage extends ImageInfo {
  bytes: Uint8Array;
}

/** The limits of model APIs: 5 MB as base64, 8000 pixels on a side. */
const MAX_BASE64_CHARS = 5 * 1024 * 1024;
const MAX_PIXELS = 8000;
/** Models scale down larger images themselves. */
const AIM_PIXELS = 1568;
const AIM_BYTES = 3.75 * 1024 * 1024;

/** The image itself, or a smaller version when it is too large and sharp is installed. Null when it stays too large. */
export async function fitImage(
  bytes: Uint8Array,
  info: ImageInfo,
  loadSharp: PackageLoader<'sharp'> = () => optionalPackage('sharp'),
): Promise<FittedImage | null> {
  if (isSmallEnough(bytes, info)) return { ...info, bytes };
  const loaded = await loadSharp();
  return loaded && scaleDown(bytes, info, loaded.default);
}

/** An image of any size in the form for the model; null when a model API would not accept it. */
export async function imageBlock(bytes: Uint8Array): Promise<ImageBlock | null> {
  const info = imageInfo(bytes);
  const image = info && (await fitImage(bytes, info).catch(() => null));
  if (!image) return null;
  const data = Buffer.from(image.bytes).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data } };
}

/** True when a model API accepts the image as it is. */
export function isSmallEnough(bytes: Uint8Array, { width, height }: ImageInfo): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= MAX_BASE64_CHARS && Math.max(width, height) <= MAX_PIXELS;
}

/** The first of a row of ever smaller versions that is small enough. */
async function scaleDown(bytes: Uint8Array, info: ImageInfo, make: typeof sharp): Promise<FittedImage | null> {
  for (const pixels of [AIM_PIXELS, AIM_PIXELS / 2, AIM_PIXELS / 4]) {
    const scaled = make(bytes, { failOn: 'error' })
      .autoOrient()
      .resize({ width: pixels, height: pixels, fit: 'inside', withoutEnlargement: true });
    // Photographs stay JPEG; everything else may have sharp edges or be transparent, so PNG is tried first.
    const versions = info.mediaType === 'image/jpeg' ? [] : [scaled.clone().png()];
    for (const quality of [85, 60]) versions.push(scaled.clone().flatten({ background: '#fff' }).jpeg({ quality }));
    for (const version of versions) {
      const smaller = await version.toBuffer();
      const found = smaller.length <= AIM_BYTES ? imageInfo(smaller) : null;
      if (found) return { ...found, bytes: smaller };
    }
  }
  return null;
}
