import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { RowContext } from '../rows/row-context.ts';
import { type Body, bodyOfRows, factRows } from './body.ts';
import { span, spanRows, textRows } from './shown-text.ts';

/** A command with what it would do beyond reading, where it would run, and how. */
export function commandBody(request: JsonObject, input: JsonObject, context: RowContext): Body {
  const command = stringField(input, 'command') ?? '';
  const shown = isObject(request.command_preview) ? request.command_preview : {};
  const isInTitle = (stringField(request, 'title') ?? '').endsWith(`: ${command}`);
  const description = stringField(input, 'description');
  return bodyOfRows([
    ...(isInTitle ? [] : textRows(command, { context, style: 'code' })),
    ...effectsOf(shown).flatMap(({ what, on }) =>
      spanRows([span(`${what} `, what === 'reads' ? 'dim' : 'warning'), span(on)], { context }),
    ),
    ...factRows(
      [...(description ? ([['the model says', description]] as const) : []), ...factsOf(shown, input)],
      context,
    ),
  ]);
}

function effectsOf({ effects }: JsonObject): { what: string; on: string }[] {
  const all = Array.isArray(effects) ? effects.filter(isObject) : [];
  return all.map((effect) => ({
    what: (stringField(effect, 'what') ?? '').replaceAll('_', ' '),
    on: stringField(effect, 'on') ?? '',
  }));
}

function factsOf(shown: JsonObject, input: JsonObject): [string, string][] {
  const directory = stringField(shown, 'directory');
  const where = [
    ...(directory === undefined ? [] : [directory]),
    ...(typeof shown.sandboxed === 'boolean' ? [shown.sandboxed ? 'inside the sandbox' : 'no sandbox'] : []),
    ...(typeof input.timeout === 'number' ? [`at most ${input.timeout / 1000} s`] : []),
    ...(input.run_in_background === true ? ['in the background'] : []),
  ];
  const doubt = stringField(shown, 'unknown');
  return [
    ...(doubt === undefined ? [] : [['not known beforehand', doubt] as [string, string]]),
    ...(where.length === 0 ? [] : [['runs', where.join(' \u00b7 ')] as [string, string]]),
  ];
}
