import { messageOf } from '../../util/message-of.ts';
import type { Stage } from '../stage/stage.ts';
import { ListPicker } from './list-picker.ts';

export interface Way {
  readonly text: string;
  readonly detail?: string;
  run(): void;
}

/** Prints what came of it, or why it failed. */
export function printOutcome(stage: Stage, work: Promise<string>): void {
  void work.then(
    (text) => stage.print(['', text]),
    (error) => stage.print(['', messageOf(error)], 'error'),
  );
}

/** Asks how to go on. The first way is highlighted: it is the one that destroys nothing. */
export function askChoice(stage: Stage, title: string, ways: readonly Way[], left: () => void = () => {}): void {
  let isChosen = false;
  const choose = (way: Way) => {
    isChosen = true;
    stage.stopPicking();
    way.run();
  };
  const picker = new ListPicker<Way>(
    {
      title: () => title,
      hint: 'enter or a digit chooses \u00b7 esc leaves it',
      empty: '',
      screen: () => stage.context,
      spans: (way) => [
        { text: `${ways.indexOf(way) + 1} ${way.text}` },
        ...(way.detail === undefined ? [] : [{ text: `  ${way.detail}`, styles: ['dim'] as const }]),
      ],
      words: (way) => `${ways.indexOf(way) + 1} ${way.text}`,
      choose,
      firstText(text) {
        const way = /^[1-9]$/.test(text) ? ways[Number(text) - 1] : undefined;
        if (way) choose(way);
        return way !== undefined;
      },
      closed() {
        if (!isChosen) left();
      },
    },
    ways,
  );
  stage.pick(picker);
}
