import { lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const NOBODY = 65534;

/**
 * Runs a test that needs file permissions to mean something. They do not for root, so as root the folder is given to
 * another user and the test runs as that one.
 */
export async function asOrdinaryUser(folder: string, test: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return test();
  lchownSync(folder, NOBODY, NOBODY);
  for (const name of readdirSync(folder, { recursive: true })) lchownSync(join(folder, String(name)), NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await test();
  } finally {
    process.seteuid?.(0);
  }
}
