import type { Snapshot } from './metrics-snapshot.ts';

export interface Series<Label extends string> {
  /** As Prometheus knows it; begins with `sluice_`. */
  name: string;
  /** What the value is, for people who find the name in Prometheus. */
  help: string;
  /**
   * The values of a label come from a closed set: operations, providers, states. Each one is kept until the process ends, so
   * nothing that a caller sends (a model, a path, a key) may be a label.
   */
  labels?: readonly Label[];
}

export interface HistogramSeries<Label extends string> extends Series<Label> {
  /** The upper bounds, ascending. */
  buckets: number[];
}

/** A value that goes up and down, read when somebody asks for it. */
export interface GaugeSeries<Label extends string> extends Series<Label> {
  /** How the values of several processes of one API become one. */
  addsUp: 'sum' | 'max';
  /** Returns all values there are. What is not returned is not shown. */
  read(): Reading<Label>[] | Promise<Reading<Label>[]>;
}

export type Reading<Label extends string = never> = { value: number; labels: Record<Label, string> };

/**
 * Where the parts of a process register what they measure. Counters and histograms return a function for each set of label
 * values: look it up once, and call it for each event.
 */
export interface Metrics {
  counter<Label extends string = never>(series: Series<Label>): (labels: Record<Label, string>) => () => void;
  histogram<Label extends string = never>(
    series: HistogramSeries<Label>,
  ): (labels: Record<Label, string>) => (value: number) => void;
  gauge<Label extends string = never>(series: GaugeSeries<Label>): void;
}

/** All series of one process, its memory and processor time among them. */
export interface ProcessMetrics extends Metrics {
  /** Resolves with everything in the text format of Prometheus. */
  text(): Promise<string>;
  /** Resolves with everything in a form that another process can add up. */
  snapshot(): Promise<Snapshot>;
}

/** Keeps nothing. For processes whose metrics nobody asks for. */
export const NO_METRICS: ProcessMetrics = {
  counter: () => () => () => {},
  histogram: () => () => () => {},
  gauge: () => {},
  text: async () => '',
  snapshot: async () => [],
};
