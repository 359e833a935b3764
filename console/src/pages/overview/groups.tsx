/** Lists the largest groups with all metrics. A group leads to its generations. */
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/page/page.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { TableOr, type Column } from '../../parts/table/table.tsx';
import { exactMetric, formatMetric } from './formats.ts';
import { callOf, groupsQuery, labelOf, numberOf, type Row } from './queries.ts';
import type { Span } from './range.ts';
import { GROUPINGS, METRIC_NAMES, METRICS, type Grouping, type Metric } from './view.ts';

interface GroupsProps {
  rows: readonly Row[];
  by: Grouping;
  span: Span;
  metric: Metric;
}

export function Groups({ rows, by, span, metric }: GroupsProps) {
  const columns: Column<Row>[] = [
    { name: GROUPINGS[by], cell: (row) => <GroupName row={row} by={by} span={span} /> },
    ...METRIC_NAMES.map((name) => ({
      name: METRICS[name].name,
      isNumber: true,
      cell: (row: Row) => {
        const value = numberOf(row, name);
        return <span title={exactMetric(name, value)}>{formatMetric(name, value)}</span>;
      },
    })),
  ];
  return (
    <Card title={`By ${GROUPINGS[by].toLowerCase()}`} call={callOf(groupsQuery(span, by, metric))}>
      <TableOr
        empty={<Empty title="No groups in this range." />}
        caption={`Use by ${GROUPINGS[by].toLowerCase()}`}
        rows={rows}
        keyOf={(row) => String(row[by])}
        columns={columns}
      />
    </Card>
  );
}

/** The filters of the list of generations that have the same values as these groupings. */
const FILTERS: Partial<Record<Grouping, 'model' | 'workspace_id' | 'provider' | 'user_id'>> = {
  model: 'model',
  workspace: 'workspace_id',
  provider: 'provider',
  user: 'user_id',
};

function GroupName({ row, by, span }: { row: Row; by: Grouping; span: Span }) {
  const [filter, value] = [FILTERS[by], row[by]];
  if (filter === undefined || typeof value !== 'string') return <>{labelOf(row, by)}</>;
  const range = { start: new Date(span.start).toISOString(), end: new Date(span.end).toISOString() };
  return (
    <Link to="/generations" search={{ [filter]: value, ...range }} title="Show these generations">
      {labelOf(row, by)}
    </Link>
  );
}
