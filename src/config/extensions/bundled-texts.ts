import { BUNDLED_PROMPTS, BUNDLED_STYLES } from './bundled.ts';
import type { OutputStyle } from './output-styles.ts';
import type { PromptFile } from './prompt-file.ts';

/** The skills and commands that come with Heddle. They are for users; the model cannot load them. */
export function bundledPrompts(): PromptFile[] {
  return BUNDLED_PROMPTS.map((prompt) => ({
    ...prompt,
    aliases: [],
    scope: 'bundled',
    path: null,
    folder: null,
    body: PROMPTS[prompt.name] ?? '',
    allowedTools: [],
    mayRun: false,
    forUser: true,
    forModel: false,
    variables: {},
  }));
}

export function bundledStyles(): OutputStyle[] {
  return BUNDLED_STYLES.map((style) => ({
    ...style,
    prompt: STYLES[style.name] ?? '',
    keepsInstructions: true,
    scope: 'bundled',
  }));
}

const PROMPTS: Readonly<Record<string, string>> = {
  debug: `Something in this session did not go as the user expected. Find out what happened, and say what to do about it.

What the user says of it: $ARGUMENTS

This session has the id \${CLAUDE_SESSION_ID}. Its transcript can be read with \`heddle sessions show \${CLAUDE_SESSION_ID}\`; \`heddle sessions fsck\` looks for damage, and \`heddle permissions explain\` tells which rule decides about a call.

1. Say in one sentence what was expected and what happened instead. If the user did not tell, look at the last failures of this conversation: denied calls, tool errors, interrupted turns.
2. Find the first thing that went wrong, not the last. Look at the calls and their results in order.
3. Name the cause: a permission rule or mode, a setting, a missing file or program, a wrong assumption of yours, a limit of this program.
4. Propose the smallest change that helps, and say how the user can check it. Change nothing unless you are asked to.
`,
  init: `Write an AGENTS.md at the root of this project: what an engineer who has never seen it needs to know to work on it.

1. Look first: the manifest and its scripts, the build, the tests, the linters, the continuous integration, the readme, and what is already written for agents (AGENTS.md, CLAUDE.md, .cursor/rules, .github/copilot-instructions.md).
2. Then write, in this order: what the project is, in two sentences; the commands to build, test, lint and run it, a single test included; how the code is laid out, as far as file names do not tell; the conventions that a newcomer would break; what must never be touched.
3. Leave out what every project has, what the code says itself, and lists of all files. Prefer fifty good lines to two hundred.
4. If an AGENTS.md or CLAUDE.md exists, improve it instead of replacing it, and keep what its authors wrote on purpose.

$ARGUMENTS
`,
  review: `Review the changes in this working tree that are not committed yet. If there are none, review the last commit.

What to pay attention to: $ARGUMENTS

1. Read the whole change, then the code around it: what calls it, what it calls, what the tests say.
2. Look, in this order, for: behaviour that is wrong; cases that are forgotten (empty, missing, concurrent, failing); holes in security; tests that would not fail if the change were wrong; names and structure that mislead.
3. Report only what you are sure of, the gravest first: the place as path:line, what is wrong, an example that shows it, and how to fix it. Say so if nothing is wrong.

Change nothing.
`,
};

const STYLES: Readonly<Record<string, string>> = {
  Explanatory: `Help the user to understand the code base while you work on it. Before or after a step that involves a real choice, add a short note that explains it: two or three sentences on why this approach fits this project, what the alternative would have cost, or which pattern of the code base it follows. Mark each such note with a line "Why:" at its beginning. Explain what is particular to this code, not what any textbook says. The notes are for the conversation; do not put them into files.`,
  Learning: `The user wants to learn by doing. Do most of the work yourself, and explain the choices you make in two or three sentences each. Where a piece of five to fifteen lines carries a decision worth making (an algorithm, how to treat an error, the shape of some data), do not write it: prepare everything around it, put the comment TODO(human) at the place, and ask the user to write it. Say what the piece must do, which ways there are and what each costs. Leave at most one such piece at a time, stop there and wait. When the user has written it, look at it with them and go on. Routine code, configuration and fixes of mistakes are yours.`,
};
