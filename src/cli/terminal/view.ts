import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Paint } from '../../util/text/paint.ts';
import { printable } from '../../util/text/printable.ts';
import { wrapText } from '../../util/text/wrap-text.ts';
import { callOf } from '../../view/call-view.ts';
import { blocksOf } from '../../view/line-fields.ts';
import { callLine } from './progress-line.ts';
import { commandText, type RunText, resumedLines, troubleText, unknownCommandLine } from './result-text.ts';
import { type Screen, showWhole } from './screen.ts';

export interface ViewOptions {
  screen: Screen;
  paint: Paint;
  /** The columns that a line on stderr may take. */
  width: () => number;
  /** Paths below this directory are shown relative to it. */
  cwd: string;
}

/** Shows the lines of a run on a terminal: text as it is written, and one line for each tool call. */
export interface View {
  show(line: JsonObject): void;
  /** Whether the last result, or the reason why the run could not start, has been shown. */
  hasEnded(): boolean;
}

export function createView({ screen, paint, width, cwd }: ViewOptions): View {
  /** The part of the current block that has been shown. */
  let written = '';
  /** The last text that was shown as a whole: a result repeats it. */
  let lastText = '';
  let hasEnded = false;
  let commands: unknown;

  function printWrapped(text: string, paintLine = (line: string) => line): void {
    const lines = text.split('\n').flatMap((each) => wrapText(each, width(), { hang: 4 }));
    screen.print(lines.map(paintLine).join('\n'));
  }

  function showEvent(event: JsonObject): void {
    if (event.type === 'content_block_start') written = '';
    const piece = event.type === 'content_block_delta' ? stringField(event.delta, 'text') : undefined;
    if (piece === undefined) return;
    written += piece;
    screen.addText(piece);
  }

  /** Shows a block that was not shown piece by piece. */
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
    const isError = line.error !== undefined; // the result reports it
    for (const block of blocksOf(line)) {
      if (block.type === 'text' && !isOfAgent && !isError) showText(stringField(block, 'text') ?? '');
      if (block.type !== 'tool_use') continue;
      const mark = isOfAgent ? '  ● ' : '● ';
      screen.print(paint.dim(callLine({ ...callOf(block), share: '' }, { cwd, width: width(), mark })));
    }
  }

  function showSystem(line: JsonObject): void {
    switch (line.subtype) {
      case 'init':
        commands = line.slash_commands;
        break;
      case 'resume_report':
        for (const each of resumedLines(line)) printWrapped(each);
        break;
      case 'superseded':
      case 'api_retry':
        if (screen.isFree()) break;
        screen.print(paint.dim('(the answer broke off, and is asked for again)'));
        written = '';
        break;
      case 'permission_denied':
        printWrapped(`  denied: ${printable(stringField(line, 'decision_reason') ?? '')}`, paint.yellow);
        break;
    }
  }

  function showResult(result: JsonObject): void {
    screen.endLine();
    hasEnded = true;
    const text = result.is_error === true ? '' : (stringField(result, 'result') ?? '');
    if (text !== '' && text !== lastText) showWhole(screen, text);
    const remark = remarkOn(result, text, commands);
    if (remark !== null) printWrapped(remark);
    if (result.is_error !== true) lastText = '';
  }

  return {
    hasEnded: () => hasEnded,
    show(line) {
      const said = commandText(line);
      if (said) {
        lastText = showCommand(screen, said);
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

/** Shows the output of a local command. Returns the text that its result repeats. */
function showCommand(screen: Screen, { stdout, stderr }: RunText): string {
  if (stdout !== null) showWhole(screen, stdout);
  if (stderr !== null) screen.print(stderr.split('\n').map(printable).join('\n'));
  return stdout ?? stderr ?? '';
}

/** What the terminal prints about a result in addition to its text: why it failed, or that a command is unknown. */
function remarkOn(result: JsonObject, text: string, commands: unknown): string | null {
  if (result.is_error !== true) return unknownCommandLine(text, commands);
  return troubleText(result, { isTerminal: true, denied: [] }).stderr;
}
