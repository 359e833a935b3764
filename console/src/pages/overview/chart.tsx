/** Draws lines over time with uPlot. The table below the chart has the same numbers for screen readers. */
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { NONE } from '../../format/numbers.ts';
import { formatMetric, formatPeriod, formatTick } from './formats.ts';
import styles from './overview.module.css';
import type { Metric } from './view.ts';

export interface Line {
  name: string;
  values: (number | null)[];
  /** True: the line of the earlier range. */
  isEarlier?: boolean;
}

interface ChartProps {
  metric: Metric;
  /** The starts of the periods, in seconds. */
  times: number[];
  lines: Line[];
  /** True: periods are days of UTC. */
  isDaily: boolean;
}

const HEIGHT = 300;
const SERIES = 6;

export function Chart({ metric, times, lines, isDaily }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    const size = () => ({ width: Math.max(element.clientWidth, 200), height: HEIGHT });
    const options = optionsOf({ metric, times, lines, isDaily }, (name) => () => colourOf(element, name));
    const chart = new uPlot(
      { ...size(), ...options },
      [times, ...lines.map(({ values }) => times.map((_, index) => values[index] ?? null))],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize(size()));
    observer.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => chart.redraw(false);
    dark.addEventListener('change', redraw);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', redraw);
      chart.destroy();
    };
  }, [metric, times, lines, isDaily]);
  const names = lines.map(({ name }) => name).join(', ');
  return <div ref={place} className={styles['chart']} role="figure" aria-label={`Over time: ${names}`} />;
}

type Options = Omit<uPlot.Options, 'width' | 'height'>;

/** Returns what uPlot draws. Days are days of UTC, as the API counts them; hours are the person's own. */
function optionsOf({ metric, lines, isDaily }: ChartProps, colour: (name: string) => () => string): Options {
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
  };
  const zone = isDaily ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') } : {};
  return {
    ...zone,
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: { y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      { ...axis, values: (_chart, ticks) => ticks.map((at) => formatTick(at, isDaily)) },
      { ...axis, size: widthOf, values: (_chart, ticks) => ticks.map((tick) => formatMetric(metric, tick)) },
    ],
    series: [
      {
        label: isDaily ? 'Day (UTC)' : 'Hour',
        value: (_chart, at: number | null) => (at === null ? NONE : formatPeriod(at, isDaily)),
      },
      ...lines.map(({ name, isEarlier }, index) => ({
        label: name,
        stroke: colour(isEarlier ? '--line-strong' : `--series-${(index % SERIES) + 1}`),
        width: 2,
        points: { show: false },
        ...(isEarlier ? { dash: [5, 5] } : {}),
        value: (_chart: uPlot, value: number | null) => formatMetric(metric, value),
      })),
    ],
  };
}

/** Returns the width of an axis with room for its longest label: small amounts have many digits. */
function widthOf(chart: uPlot, labels: string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => label.length));
  const pixels = Number.parseFloat(getComputedStyle(chart.root).fontSize);
  return Math.max(74, longest * pixels * 0.6 + 20);
}

/** Returns a colour of the theme as the canvas wants it: resolved for light or dark. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
