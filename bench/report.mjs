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

/** One row per budget whose figure was measured. `other` is there when Heddle is compared with another command line. */
export function judge(budgets, { floor, heddle, other }) {
  return budgets.flatMap(({ metric, title, must, aim, source }) => {
    const values = {
      floor: figure(metric, floor),
      heddle: figure(metric, heddle),
      ...(other && { other: figure(metric, other) }),
    };
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

/** Budgets that do not depend on how fast a machine is. */
export function ratiosOnly(budgets) {
  const isSpeed = (metric) => /Ms(PerS)?$/.test(metric);
  return budgets.filter(({ metric, must }) => must && (must.timesFloor !== undefined || !isSpeed(metric)));
}

export function textTable(rows) {
  const table = cells(rows);
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const padded = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  return table.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

export function markdownTable(rows) {
  const [head, ...body] = cells(rows);
  const line = (row) => `| ${row.join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function cells(rows) {
  const isCompared = rows.some(({ other }) => other !== undefined);
  const head = ['metric', 'floor', 'heddle', 'x floor', ...(isCompared ? ['other', 'x other'] : []), 'must', 'verdict'];
  return [head, ...rows.map((row) => rowCells(row, isCompared))];
}

function rowCells({ title, floor, heddle, other, ratio, must, verdict: word }, isCompared) {
  const compared = isCompared ? [number(other ?? null), other ? (heddle / other).toFixed(2) : ''] : [];
  return [
    ...[title, number(floor), number(heddle), ratio === null ? '' : ratio.toFixed(2)],
    ...compared,
    ...[limitText(must), word],
  ];
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
