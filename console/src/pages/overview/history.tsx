/** Shows the chosen metric over time: the largest groups, or the whole, with the earlier range if asked. */
import { useMemo } from 'react';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Chart } from './chart.tsx';
import {
  callOf,
  groupSeriesQuery,
  labelOf,
  numberOf,
  periodOf,
  seriesQuery,
  type Row,
  useAnalytics,
} from './queries.ts';
import { periodsOf, type Span } from './range.ts';
import { GROUPINGS, METRICS, type Grouping, type Metric } from './view.ts';

const NO_ROWS: Row[] = [];

const rowsOf = ({ data }: ReturnType<typeof useAnalytics>): Row[] => data?.data.data ?? NO_ROWS;

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
  const shown = useMemo(() => (groups ?? []).filter((row) => row[by] != null), [groups, by]);
  const values = shown.map((row) => row[by] as string | number);
  const groupBody = groupSeriesQuery(span, by, metric, values);
  const wholeBody = seriesQuery(span);
  const whole = useAnalytics(wholeBody);
  const perGroup = useAnalytics(groupBody, compared === undefined && values.length > 0);
  const before = useAnalytics(seriesQuery(compared ?? span), compared !== undefined);
  const grouped = values.length > 0 ? perGroup : whole;
  const [wholeRows, beforeRows, groupRows] = [rowsOf(whole), rowsOf(before), rowsOf(perGroup)];
  const lines = useMemo(() => {
    if (compared !== undefined)
      return [
        { name: 'This range', values: spread(wholeRows, span, metric) },
        { name: 'Other range', values: spread(beforeRows, compared, metric), isEarlier: true },
      ];
    return shown.map((group) => {
      const own = groupRows.filter((row) => row[by] === group[by]);
      return { name: labelOf(group, by), values: spread(own, span, metric) };
    });
  }, [wholeRows, beforeRows, groupRows, shown, compared, metric, by, span]);
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
    <Card title={title} call={callOf(compared ? wholeBody : groupBody)}>
      <Loaded query={whole} what="the chart">
        {({ data }) =>
          data.data.length === 0 ? (
            <Empty title="Nothing was used in this range.">
              Choose a longer range, or send a first request from the playground.
            </Empty>
          ) : (
            <Loaded query={compared === undefined ? grouped : before} what="the lines of the chart">
              {() => (
                <Chart metric={metric} times={times} lines={lines} isDaily={span.granularity === 'day'} />
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Card>
  );
}

/**
 * Returns a value for each period. Periods without requests have no row: sums are 0 there, and rates have none. Rows of
 * another metric, which stay until those of this one arrive, have no value.
 */
function spread(rows: readonly Row[], span: Span, metric: Metric): (number | null)[] {
  const byPeriod = new Map(rows.map((row) => [periodOf(row, span), numberOf(row, metric)]));
  const other = METRICS[metric].isRate ? null : 0;
  return periodsOf(span).map((at) => (byPeriod.has(at) ? byPeriod.get(at)! : other));
}
