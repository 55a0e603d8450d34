import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Paint } from '../../util/paint.ts';
import { printable } from '../../util/printable.ts';
import { wrapText } from '../../util/wrap-text.ts';
import { callLine } from '../progress-line.ts';
import { blocksOf, callOf } from '../progress-state.ts';
import { commandText } from '../result-text.ts';
import { resumedLines, troubleText, unknownCommandLine } from '../trouble-text.ts';
import { type Screen, showWhole } from './screen.ts';

export interface ViewOptions {
  screen: Screen;
  paint: Paint;
  /** Columns that a line on stderr may take. */
  width: () => number;
  /** Paths below it are shown without it. */
  cwd: string;
}

/** Shows the lines of a run on a terminal: text as it is written, and one line for each tool call. */
export interface View {
  show(line: JsonObject): void;
  /** Whether the last result, or the reason why the run could not start, has been shown. */
  hasEnded(): boolean;
}

export function createView({ screen, paint, width, cwd }: ViewOptions): View {
  /** What has been shown of the block that the model is writing. */
  let written = '';
  /** The last text that was shown whole: a result says it once more. */
  let lastText = '';
  let hasEnded = false;
  let commands: unknown;

  function tellWrapped(text: string, paintLine = (line: string) => line): void {
    const lines = text.split('\n').flatMap((each) => wrapText(each, width(), { hang: 4 }));
    screen.tell(lines.map(paintLine).join('\n'));
  }

  function showEvent(event: JsonObject): void {
    if (event.type === 'content_block_start') written = '';
    const piece = event.type === 'content_block_delta' ? stringField(event.delta, 'text') : undefined;
    if (piece === undefined) return;
    written += piece;
    screen.addText(piece);
  }

  /** A block that was not shown piece by piece is shown now. */
  function showText(text: string): void {
    if (written !== text) {
      screen.endLine();
      screen.addText(text);
    }
    screen.endLine();
    written = '';
    lastText = text;
  }

  function showAnswer(line: JsonObject): void {
    const isOfAgent = typeof line.parent_tool_use_id === 'string';
    const isError = line.error !== undefined; // the result tells of it
    for (const block of blocksOf(line)) {
      if (block.type === 'text' && !isOfAgent && !isError) showText(stringField(block, 'text') ?? '');
      if (block.type !== 'tool_use') continue;
      const indent = isOfAgent ? '  ' : '';
      screen.tell(paint.dim(callLine(callOf(block), { cwd, width: width(), mark: `${indent}● ` })));
    }
  }

  function showSystem(line: JsonObject): void {
    switch (line.subtype) {
      case 'init':
        commands = line.slash_commands;
        break;
      case 'resume_report':
        for (const each of resumedLines(line)) tellWrapped(each);
        break;
      case 'superseded':
      case 'api_retry':
        if (screen.isFree()) break;
        screen.tell(paint.dim('(the answer broke off, and is asked for again)'));
        written = '';
        break;
      case 'permission_denied':
        tellWrapped(`  denied: ${printable(stringField(line, 'decision_reason') ?? '')}`, paint.yellow);
        break;
    }
  }

  function showResult(result: JsonObject): void {
    screen.endLine();
    hasEnded = true;
    if (result.is_error === true) {
      const { stderr } = troubleText(result, { isTerminal: true, denied: [] });
      if (stderr !== null) tellWrapped(stderr);
      return;
    }
    const text = stringField(result, 'result') ?? '';
    if (text !== '' && text !== lastText) showWhole(screen, text);
    const unknown = unknownCommandLine(text, commands);
    if (unknown !== null) tellWrapped(unknown);
    lastText = '';
  }

  return {
    hasEnded: () => hasEnded,
    show(line) {
      const said = commandText(line);
      if (said) {
        lastText = said.stdout ?? said.stderr ?? '';
        if (said.stdout !== null) showWhole(screen, said.stdout);
        if (said.stderr !== null) screen.tell(said.stderr.split('\n').map(printable).join('\n'));
        return;
      }
      switch (line.type) {
        case 'stream_event':
          if (typeof line.parent_tool_use_id !== 'string' && isObject(line.event)) showEvent(line.event);
          break;
        case 'assistant':
          showAnswer(line);
          break;
        case 'system':
          showSystem(line);
          break;
        case 'result':
          showResult(line);
          break;
      }
    },
  };
}
