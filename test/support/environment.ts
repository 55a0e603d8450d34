/** Names the home that `isolate.ts` made, for the guard to compare with. */
export const ISOLATED_HOME = 'HEDDLE_TEST_HOME';

/** Variables that would make a test talk to a real account or behave as inside another agent. */
export function leakedVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter((name) => AGENT_VARIABLE.test(name) && !OURS.test(name));
}

const AGENT_VARIABLE = /^(ANTHROPIC|CLAUDE|CLAUDECODE|OPENAI|HEDDLE)(_|$)/;
const OURS = /^HEDDLE_(HOME$|TEST_|TRUST_)/;
