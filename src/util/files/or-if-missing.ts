import { errorCode } from '../error-code.ts';

/** The result of reading a file or directory; the fallback where it is missing. Other errors pass. */
export async function orIfMissing<T, F>(read: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await read;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return fallback;
    throw error;
  }
}
