import type { JsonObject } from '../../util/json.ts';
import { lastRows } from '../pager/earlier-rows.ts';
import { askMessages, blocksOfMessages } from '../pager/transcript.ts';
import { noteRows } from '../rows/blocks/block-to-rows.ts';
import { EMPTY_ROW } from '../rows/row.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** The live rows again, or turns of the scrollback. */
export const REDRAW_COMMAND: TerminalCommand = {
  name: 'redraw',
  argumentHint: '[n]',
  description: 'Draw the screen again; with a number: print the last turns again, at this width',
  async run(argument, stage) {
    if (argument === '') stage.redraw();
    else if (/^[1-9]\d{0,3}$/.test(argument)) return printTurns(stage, Number(argument));
    else return ['/redraw takes how many turns, such as /redraw 3.'];
    return [];
  },
};

/** Prints the last turns below what stands there, under a rule. */
async function printTurns(stage: Stage, wanted: number): Promise<string[]> {
  let messages: readonly JsonObject[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await askMessages(stage, { before });
    messages = [...page.messages, ...messages];
    before = page.before;
    const blocks = blocksOfMessages(messages);
    const prompts = blocks.flatMap(({ kind }, at) => (kind === 'prompt' ? [at] : []));
    if (before !== undefined && page.messages.length > 0 && prompts.length < wanted) continue;
    const count = Math.min(wanted, prompts.length);
    if (count === 0) return ['There is nothing to print again yet.'];
    const { rows } = lastRows(blocks.slice(prompts.at(-count)), stage.context, Infinity);
    const rule = `\u2500\u2500 the last ${count === 1 ? 'turn' : `${count} turns`} again \u2500\u2500`;
    stage.printRows([EMPTY_ROW, ...noteRows(rule, 'dim', stage.context), ...rows]);
    return [];
  }
}
