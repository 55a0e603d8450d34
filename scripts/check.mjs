#!/usr/bin/env node
// `npm run check`: everything that can be said of the code without running the product, in well under half a minute.
import { architectureStep, buildStep, staticChecks } from './lib/checks.mjs';
import { runSteps } from './lib/steps.mjs';

const building = runSteps([buildStep]);
const results = (
  await Promise.all([building, runSteps(staticChecks), building.then(() => runSteps([architectureStep]))])
).flat();

const failed = results.filter((result) => !result.ok).map((result) => result.name);
console.log(failed.length === 0 ? 'check: all good' : `check failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
