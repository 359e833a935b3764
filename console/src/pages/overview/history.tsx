/** Shows the chosen metric over time: the largest groups, or the whole, with the earlier range if asked. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Chart, type Line } from './chart.tsx';
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
import { periodsOf, previousOf, type Span } from './range.ts';
import { GROUPINGS, METRICS, type Grouping, type Metric } from './view.ts';

interface HistoryProps {
  span: Span;
  metric: Metric;
  by: Grouping;
  /** The largest groups, in the order of the table. */
  groups: readonly Row[] | undefined;
  isCompared: boolean;
}

export function History({ span, metric, by, groups, isCompared }: HistoryProps) {
  const shown = useMemo(() => (groups ?? []).filter((row) => row[by] !== null), [groups, by]);
  const values = shown.map((row) => row[by] as string | number);
  const groupBody = groupSeriesQuery(span, by, metric, values);
  const wholeBody = seriesQuery(span);
  const whole = useQuery(analytics(wholeBody));
  const perGroup = useQuery(analytics(groupBody, !isCompared && values.length > 0));
  const before = useQuery(analytics(seriesQuery(previousOf(span)), isCompared));
  const lines = useMemo(() => {
    if (isCompared) return comparedLines(whole.data, before.data, span, metric);
    return shown.map((group) => {
      const own = (perGroup.data ?? []).filter((row) => row[by] === group[by]);
      return { name: labelOf(group, by), values: spread(own, span, metric) };
    });
  }, [whole.data, before.data, perGroup.data, shown, isCompared, metric, by, span]);
  const times = useMemo(() => periodsOf(span).map((at) => at / 1_000), [span]);
  const title = isCompared
    ? `${METRICS[metric].name} and the range before`
    : `${METRICS[metric].name} by ${GROUPINGS[by].toLowerCase()}`;
  return (
    <Card title={title} actions={<CopyCurl call={callOf(isCompared ? wholeBody : groupBody)} />}>
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

function comparedLines(
  now: Row[] | undefined,
  before: Row[] | undefined,
  span: Span,
  metric: Metric,
): Line[] {
  return [
    { name: 'This range', values: spread(now ?? [], span, metric) },
    { name: 'Range before', values: spread(before ?? [], previousOf(span), metric), isEarlier: true },
  ];
}

/** Returns a value for each period. Periods without requests have no row: sums are 0 there, and rates have none. */
function spread(rows: readonly Row[], span: Span, metric: Metric): (number | null)[] {
  const byPeriod = new Map(rows.map((row) => [periodOf(row, span), numberOf(row, metric)]));
  return periodsOf(span).map((at) => byPeriod.get(at) ?? (METRICS[metric].isRate ? null : 0));
}
