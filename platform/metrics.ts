/** Defines the interface by which code registers counters, gauges and histograms. */
import type { Snapshot } from './metrics-snapshot.ts';

export interface Series<Label extends string> {
  /** The name in Prometheus; begins with `sluice_`. */
  name: string;
  /** A description of the value, shown in Prometheus. */
  help: string;
  /**
   * Label values must come from a closed set: operations, providers, states. Each value stays until the process ends,
   * so text from callers (a model, a path, a key) must not be a label.
   */
  labels?: readonly Label[];
}

export interface HistogramSeries<Label extends string> extends Series<Label> {
  /** The upper bounds of the buckets, ascending. */
  buckets: number[];
}

/** A value that goes up and down. It is read at each scrape. */
export interface GaugeSeries<Label extends string> extends Series<Label> {
  /** The aggregation of the values of several API processes. */
  aggregation: 'sum' | 'max';
  /** Returns all current values. Absent values are not shown. */
  read(): Reading<Label>[] | Promise<Reading<Label>[]>;
}

export type Reading<Label extends string = never> = { value: number; labels: Record<Label, string> };

/**
 * Registers the metrics of a process. Counters and histograms return a function for each set of label values: look it
 * up once, and call it for each event.
 */
export interface Metrics {
  counter<Label extends string = never>(series: Series<Label>): (labels: Record<Label, string>) => () => void;
  histogram<Label extends string = never>(
    series: HistogramSeries<Label>,
  ): (labels: Record<Label, string>) => (value: number) => void;
  gauge<Label extends string = never>(series: GaugeSeries<Label>): void;
}

/** The metrics of one process, including its memory and processor time. */
export interface ProcessMetrics extends Metrics {
  /** Resolves with all metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** Resolves with all metrics in a form that another process can add up. */
  snapshot(): Promise<Snapshot>;
}

/** A registry that keeps no metrics, for processes without a scrape port. */
export const NO_METRICS: ProcessMetrics = {
  counter: () => () => () => {},
  histogram: () => () => () => {},
  gauge: () => {},
  text: async () => '',
  snapshot: async () => [],
};
