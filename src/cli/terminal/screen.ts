import type { Progress } from './progress.ts';
import { shownPieces } from './shown-text.ts';

/**
 * The only code that writes to the terminal of a run: answers to stdout, and messages about them to stderr. A line
 * never begins in the middle of another one, and the progress line is erased first.
 */
export interface Screen {
  /** A piece of an answer. */
  addText(piece: string): void;
  /** Ends the line of an answer; does nothing where no line is open. */
  endLine(): void;
  /** A line of Heddle's own, ready to be shown. */
  print(line: string): void;
  /** Whether the cursor is at the beginning of a line, so that something else may be drawn there. */
  isFree(): boolean;
  progress: Pick<Progress, 'erase'> | null;
}

interface Output {
  write(text: string): unknown;
}

export function openScreen({ stdout, stderr }: { stdout: Output; stderr: Output }): Screen {
  const pieces = shownPieces();
  let isOpen = false;
  const put = (text: string) => {
    if (text === '') return;
    screen.progress?.erase();
    stdout.write(text);
    isOpen = !text.endsWith('\n');
  };
  const screen: Screen = {
    progress: null,
    addText: (piece) => put(pieces.take(piece)),
    endLine() {
      put(pieces.rest());
      if (isOpen) put('\n');
    },
    print(line) {
      screen.endLine();
      screen.progress?.erase();
      stderr.write(`${line}\n`);
    },
    isFree: () => !isOpen,
  };
  return screen;
}

/** Shows a text from elsewhere as a whole, made safe for the terminal. */
export function showWhole(screen: Screen, text: string): void {
  screen.addText(text);
  screen.endLine();
}
