/** Shows the chosen metric over time: the largest groups, or the whole, with the earlier range if asked. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Chart } from './chart.tsx';
import {
  analytics,
  callOf,
  groupSeriesQuery,
  labelOf,
  numberOf,
  periodOf,
  seriesQuery,
  type Row,
} from './queries.ts';
import { periodsOf, type Span } from './range.ts';
import { GROUPINGS, METRICS, type Grouping, type Metric } from './view.ts';

interface HistoryProps {
  span: Span;
  metric: Metric;
  by: Grouping;
  /** The largest groups, in the order of the table. */
  groups: readonly Row[] | undefined;
  /** The other range, which is drawn under the first; undefined if none is. */
  compared: Span | undefined;
}

export function History({ span, metric, by, groups, compared }: HistoryProps) {
  const shown = useMemo(() => (groups ?? []).filter((row) => row[by] !== null), [groups, by]);
  const values = shown.map((row) => row[by] as string | number);
  const groupBody = groupSeriesQuery(span, by, metric, values);
  const wholeBody = seriesQuery(span);
  const whole = useQuery(analytics(wholeBody));
  const perGroup = useQuery(analytics(groupBody, compared === undefined && values.length > 0));
  const before = useQuery(analytics(seriesQuery(compared ?? span), compared !== undefined));
  const lines = useMemo(() => {
    if (compared !== undefined)
      return [
        { name: 'This range', values: spread(whole.data ?? [], span, metric) },
        { name: 'Other range', values: spread(before.data ?? [], compared, metric), isEarlier: true },
      ];
    return shown.map((group) => {
      const own = (perGroup.data ?? []).filter((row) => row[by] === group[by]);
      return { name: labelOf(group, by), values: spread(own, span, metric) };
    });
  }, [whole.data, before.data, perGroup.data, shown, compared, metric, by, span]);
  const times = useMemo(() => {
    const length = Math.max(
      span.end - span.start,
      compared === undefined ? 0 : compared.end - compared.start,
    );
    return periodsOf({ ...span, end: span.start + length }).map((at) => at / 1_000);
  }, [span, compared]);
  const title = compared
    ? `${METRICS[metric].name} of both ranges, beginning together`
    : `${METRICS[metric].name} by ${GROUPINGS[by].toLowerCase()}`;
  return (
    <Card title={title} actions={<CopyCurl call={callOf(compared ? wholeBody : groupBody)} />}>
      <Loaded query={whole} what="the chart">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="Nothing was used in this range.">
              Choose a longer range, or send a first request from the playground.
            </Empty>
          ) : (
            <Chart metric={metric} times={times} lines={lines} isDaily={span.granularity === 'day'} />
          )
        }
      </Loaded>
    </Card>
  );
}

/** Returns a value for each period. Periods without requests have no row: sums are 0 there, and rates have none. */
function spread(rows: readonly Row[], span: Span, metric: Metric): (number | null)[] {
  const byPeriod = new Map(rows.map((row) => [periodOf(row, span), numberOf(row, metric)]));
  return periodsOf(span).map((at) => byPeriod.get(at) ?? (METRICS[metric].isRate ? null : 0));
}
