// Draws what a program printed in a terminal as an SVG picture, in which the lines appear one after the other. Text stays
// text: it can be searched, and a test can compare it with what the program prints today.

const FONT_SIZE = 14;
const ROW = 19;
const COLUMN = 8.43;
const MARGIN = 18;
const BAR = 34;

/** SGR codes that the programs of this repository use. */
const CLASSES = new Map([
  ['1', 'b'],
  ['2', 'd'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'cyan'],
]);

const STYLE = `
  text { font: ${FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dae0; white-space: pre; }
  .b { font-weight: 700; } .d { fill: #8a919e; } .red { fill: #f47067; } .green { fill: #6bc46d; }
  .yellow { fill: #e0b35c; } .cyan { fill: #56b6c2; } .title { fill: #8a919e; }
  .row { animation: appear 0.01s linear both; }
  @keyframes appear { from { opacity: 0; } to { opacity: 1; } }
  @media (prefers-reduced-motion: reduce) { .row { animation: none; } }`;

/**
 * @param {{ text: string, at: number }[]} rows lines as printed, with their escape sequences, and when, in milliseconds
 * @param {{ title: string, columns?: number }} options
 */
export function drawTerminal(rows, { title, columns = 84 }) {
  const width = Math.round(columns * COLUMN + 2 * MARGIN);
  const height = BAR + rows.length * ROW + MARGIN;
  const dots = ['#f47067', '#e0b35c', '#6bc46d'].map(
    (fill, index) => `<circle cx="${MARGIN + 4 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  const drawn = rows.map(({ text, at }, index) => {
    const y = BAR + (index + 0.8) * ROW;
    const delay = (at / 1000).toFixed(2);
    return text.trim() === ''
      ? ''
      : `<text class="row" xml:space="preserve" style="animation-delay:${delay}s" x="${MARGIN}" y="${y.toFixed(1)}">${spans(text)}</text>`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="#1b1f27"/>`,
    ...dots,
    `<text class="title" x="${width / 2}" y="22" text-anchor="middle">${escapeXml(title)}</text>`,
    ...drawn.filter((row) => row !== ''),
    '</svg>',
  ].join('\n')}\n`;
}

/** The text of a drawn picture, line by line. */
export function textOfPicture(svg) {
  return [...svg.matchAll(/<text class="row"[^>]*>(.*?)<\/text>/g)].map(([, inner]) =>
    inner
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
      .trimEnd(),
  );
}

function spans(line) {
  let classes = [];
  let drawn = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal reads
  for (const piece of line.split(/(\u001b\[[\d;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal reads
    const codes = /^\u001b\[([\d;]*)m$/.exec(piece)?.[1]?.split(';');
    if (codes) classes = codes.flatMap((code) => CLASSES.get(code) ?? []);
    else if (piece !== '' && classes.length === 0) drawn += escapeXml(piece);
    else if (piece !== '') drawn += `<tspan class="${classes.join(' ')}">${escapeXml(piece)}</tspan>`;
  }
  return drawn;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
