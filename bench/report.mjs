// From samples to figures, from figures to a verdict.

/** Samples by workload to the median of each figure: `{ hello: { cpuMs, … } }`. */
export function medians(samplesByWorkload) {
  const result = {};
  for (const [workload, samples] of Object.entries(samplesByWorkload)) {
    const names = Object.keys(samples[0]);
    result[workload] = Object.fromEntries(names.map((name) => [name, median(samples.map((sample) => sample[name]))]));
  }
  return result;
}

/** One row per budget whose figure was measured. */
export function judge(budgets, { floor, heddle }) {
  return budgets.flatMap(({ metric, title, must, aim, source }) => {
    const values = { floor: figure(metric, floor), heddle: figure(metric, heddle) };
    if (values.heddle === null) return [];
    const ratio = values.floor ? values.heddle / values.floor : null;
    return [
      {
        metric,
        title,
        ...values,
        ratio,
        must: must ?? null,
        aim: aim ?? null,
        source,
        verdict: verdict(values, must, aim),
      },
    ];
  });
}

export function printTable(rows) {
  const table = [
    ['metric', 'floor', 'heddle', 'ratio', 'must', 'verdict'],
    ...rows.map(({ title, floor, heddle, ratio, must, verdict: word }) => [
      title,
      number(floor),
      number(heddle),
      ratio === null ? '' : ratio.toFixed(2),
      limitText(must),
      word,
    ]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])));
    console.log(cells.join('  '));
  }
}

/** `turn`, `sideCalls` and `firstRequest` are made of several workloads; the rest is `workload.figure`. */
function figure(metric, figures) {
  const { hello, turns20, turns100 } = figures;
  if (metric === 'turn.cpuMs') return turns20 && turns100 ? (turns100.cpuMs - turns20.cpuMs) / 80 : null;
  if (metric === 'sideCalls') return Object.values(figures).reduce((sum, each) => sum + each.sideCalls, 0);
  if (metric === 'firstRequest.bytes') return hello?.firstRequestBytes ?? null;
  const [workload, name] = metric.split('.');
  return figures[workload]?.[name] ?? null;
}

function verdict(values, must, aim) {
  if (!must) return '';
  if (!keeps(values, must)) return 'MISSED';
  return aim && keeps(values, aim) ? 'ok, aim reached' : 'ok';
}

function keeps({ floor, heddle }, { atMost, timesFloor }) {
  return heddle <= (atMost ?? timesFloor * floor);
}

/** `targetMs`: what the targets say for their own machine; it is shown, the multiple of the floor decides. */
function limitText(must) {
  if (!must) return '';
  if (must.atMost !== undefined) return `<= ${must.atMost}`;
  return `<= ${must.timesFloor} x floor${must.targetMs ? ` (${must.targetMs} ms)` : ''}`;
}

function number(value) {
  if (value === null) return '';
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

function median(values) {
  if (values.some((value) => value === null)) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
