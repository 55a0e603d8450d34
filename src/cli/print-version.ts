import { HEDDLE_VERSION, WIRE_VERSION } from '../wire/version.ts';

export function printVersion(): number {
  process.stdout.write(`${WIRE_VERSION} (Heddle ${HEDDLE_VERSION})\n`);
  return 0;
}
