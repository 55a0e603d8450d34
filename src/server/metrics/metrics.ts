import { createServer } from 'node:http';
import { type ListenAddress, type Listening, listen } from '../http/listen.ts';

type Labels = Readonly<Record<string, string>>;

interface Metric {
  help: string;
  kind: 'counter' | 'gauge' | 'histogram';
  lines(): string[];
}

/** Seconds; the upper ends of what is counted together. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** Figures of a process, in the text format of Prometheus. Names and labels hold no content of sessions. */
export class Metrics {
  readonly #all = new Map<string, Metric>();

  counter(name: string, help: string): (labels?: Labels, by?: number) => void {
    const values = new Map<string, number>();
    const lines = () => [...values].map(([labels, value]) => `${name}${labels} ${value}`);
    this.#all.set(name, { help, kind: 'counter', lines });
    return (labels = {}, by = 1) => {
      const key = labelText(labels);
      values.set(key, (values.get(key) ?? 0) + by);
    };
  }

  /** `read` is asked whenever the figures are read. */
  gauge(name: string, help: string, read: () => number | readonly [Labels, number][]): void {
    const lines = () => {
      const value = read();
      if (typeof value === 'number') return [`${name} ${value}`];
      return value.map(([labels, each]) => `${name}${labelText(labels)} ${each}`);
    };
    this.#all.set(name, { help, kind: 'gauge', lines });
  }

  histogram(name: string, help: string): (seconds: number) => void {
    const counts = BUCKETS.map(() => 0);
    let sum = 0;
    let count = 0;
    const lines = () => [
      ...BUCKETS.map((end, at) => `${name}_bucket{le="${end}"} ${counts[at]}`),
      `${name}_bucket{le="+Inf"} ${count}`,
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
    ];
    this.#all.set(name, { help, kind: 'histogram', lines });
    return (seconds) => {
      sum += seconds;
      count++;
      for (const [at, end] of BUCKETS.entries()) if (seconds <= end) counts[at] = (counts[at] ?? 0) + 1;
    };
  }

  text(): string {
    const parts = [...this.#all].map(([name, { help, kind, lines }]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines()].join('\n'),
    );
    return `${parts.join('\n')}\n`;
  }
}

/**
 * Answers `GET /metrics` on an address of its own, without a token: the figures hold no content, and whatever collects them
 * has no token. Rejects with `cannot_listen`.
 */
export function listenForMetrics(metrics: Metrics, address: ListenAddress): Promise<Listening> {
  const server = createServer((request, response) => {
    const isFound = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    response.writeHead(isFound ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(isFound ? metrics.text() : '');
  });
  return listen(server, address);
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, '_')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
