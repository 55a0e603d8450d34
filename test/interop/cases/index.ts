import type { InteropCase } from '../case.ts';
import { controlCases } from './controls.ts';
import { laterControlCases } from './controls-later.ts';
import { extensionCases } from './extensions.ts';
import { failureCases } from './failures.ts';
import { laterHostCases } from './host-later.ts';
import { laterCases } from './later.ts';
import { mcpCases } from './mcp.ts';
import { mirroredCases } from './mirrored.ts';
import { modelCases } from './model.ts';
import { permissionCases } from './permissions.ts';
import { processCases } from './process.ts';
import { promptCases } from './prompts.ts';
import { ruleCases } from './rules.ts';
import { sessionCases } from './sessions.ts';
import { storedCases } from './stored.ts';
import { laterStoredCases } from './stored-later.ts';
import { v2Cases } from './v2.ts';

export const CASES: readonly InteropCase[] = [
  ...promptCases,
  ...permissionCases,
  ...ruleCases,
  ...controlCases,
  ...laterControlCases,
  ...laterHostCases,
  ...modelCases,
  ...mcpCases,
  ...extensionCases,
  ...sessionCases,
  ...storedCases,
  ...laterStoredCases,
  ...mirroredCases,
  ...v2Cases,
  ...processCases,
  ...failureCases,
  ...laterCases,
];
