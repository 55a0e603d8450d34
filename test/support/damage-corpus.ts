import { DAMAGED_COMPACTIONS } from './damage/compactions.ts';
import { ODD_CONTENTS } from './damage/contents.ts';
import { DAMAGED_LINES } from './damage/lines.ts';
import { DAMAGED_LINKS } from './damage/links.ts';
import { HUGE_FILES } from './damage/sizes.ts';
import type { DamageCase } from './damage/story.ts';

export { type DamageCase, SESSION } from './damage/story.ts';

/** Session files after everything that can happen to one, each with what must come back of it. */
export const DAMAGE_CORPUS: readonly DamageCase[] = [
  ...DAMAGED_LINES,
  ...DAMAGED_LINKS,
  ...DAMAGED_COMPACTIONS,
  ...ODD_CONTENTS,
  ...HUGE_FILES,
];
