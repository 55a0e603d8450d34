import { describe, expect, test } from 'vitest';
import { parseArgs } from '../../../src/cli/flags/args.ts';
import { helpText } from '../../../src/cli/flags/help-text.ts';
import { FLAGS } from '../../../src/wire/flags.ts';

const text = helpText();

describe('helpText', () => {
  test.each(FLAGS.map(({ name }) => [name]))('[FLG-31] lists %s', (name) => {
    expect(text).toMatch(new RegExp(`(^|[\\s(,])${name}(?![\\w-])`, 'm'));
  });

  test.each(FLAGS.filter(({ choices }) => choices && choices.length < 6))('names the choices of $name', (flag) => {
    for (const choice of flag.choices ?? []) expect(text).toContain(choice);
  });

  test('[FLG-31] names no option that is not accepted', () => {
    const named = text.match(/(?<=^ {2}|, |\(or |\(also |\s)--?[a-zA-Z][\w-]*/gm) ?? [];
    expect(named.length).toBeGreaterThan(FLAGS.length);
    const unknown = named.filter((option) => !isKnown(option));
    expect(unknown).toEqual([]);
  });

  test('its examples can be parsed', () => {
    const examples = [...text.matchAll(/^ {2}heddle (.*)$/gm)].map(([, words = '']) => shellWords(words));
    expect(examples.length).toBeGreaterThan(3);
    for (const words of examples) expect(parseArgs(words).prompt).toBeTruthy();
  });

  test('[P4, FLG-31] --model names every kind of model that there is', () => {
    const model = section('--model', '--fallback-model');
    for (const kind of ['sonnet', 'full model id', 'openai/NAME', 'offline', 'replay:FILE']) {
      expect(model).toContain(kind);
    }
  });

  test('[K17] --fallback-model takes a list, and says how it is written', () => {
    expect(section('--fallback-model', '--effort')).toMatch(/<names>.*separated by commas/);
  });

  test('fits a terminal', () => {
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
    expect(text.endsWith('\n')).toBe(true);
  });
});

/** The text from one flag to the next. */
function section(from: string, to: string): string {
  return text.slice(text.indexOf(`  ${from}`), text.indexOf(`  ${to}`));
}

function isKnown(option: string): boolean {
  try {
    parseArgs([option, '1']);
    return true;
  } catch (error) {
    return !String(error).includes('unknown option');
  }
}

function shellWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}
