/** Lists the largest groups with all metrics. A group leads to its generations where they have a filter for it. */
import { Link } from '@tanstack/react-router';
import type { FilterName } from '../generations/filters.ts';
import { Card } from '../../parts/page/page.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { TableOr, type Column } from '../../parts/table/table.tsx';
import { exactMetric, formatMetric } from './formats.ts';
import { useKeyHashes } from './key-hashes.ts';
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
  // Rows of another grouping, which stay until those of this one arrive, have no value of it.
  const ids = by === 'api_key_id' ? rows.map((row) => Number(row[by])) : [];
  const keys = useKeyHashes(ids.filter((id) => id > 0));
  const filterOf = (row: Row): Filter | undefined => {
    const value = by === 'api_key_id' ? keys.data?.get(Number(row[by])) : row[by];
    const name = FILTERS[by];
    return name !== undefined && typeof value === 'string' && value !== '' ? { [name]: value } : undefined;
  };
  const columns: Column<Row>[] = [
    {
      name: GROUPINGS[by],
      cell: (row) => <Name text={labelOf(row, by)} filter={filterOf(row)} span={span} />,
    },
    ...METRIC_NAMES.map((name) => ({
      name: METRICS[name].name,
      isNumber: true,
      cell: (row: Row) => {
        const value = numberOf(row, name);
        return <span title={exactMetric(name, value)}>{formatMetric(name, value)}</span>;
      },
    })),
  ];
  const isUnread = by === 'api_key_id' && keys.data === undefined;
  const words = isUnread ? keys.failureReason && UNREAD_KEYS : (WITHOUT_LIST[by] ?? NO_VALUE);
  return (
    <Card title={`By ${GROUPINGS[by].toLowerCase()}`} call={callOf(groupsQuery(span, by, metric))}>
      <TableOr
        empty={<Empty title="No groups in this range." />}
        caption={`Use by ${GROUPINGS[by].toLowerCase()}`}
        rows={rows}
        keyOf={(row) => String(row[by])}
        columns={columns}
      />
      {words && rows.some((row) => row[by] !== undefined && filterOf(row) === undefined) && (
        <p className="muted">{words}</p>
      )}
    </Card>
  );
}

/** The filters of the list of generations by the grouping that has their values. There is none for apps. */
const FILTERS = {
  model: 'model',
  provider: 'provider',
  api_key_id: 'api_key_hash',
  workspace: 'workspace_id',
  user: 'user_id',
  app: undefined,
} as const satisfies Record<Grouping, FilterName | undefined>;

type Filter = Partial<Record<FilterName, string>>;

const NO_VALUE = 'The row without a value leads to no list: generations have no filter for that.';

/** Says why a row leads nowhere. */
const WITHOUT_LIST: Partial<Record<Grouping, string>> = {
  api_key_id: 'A deleted key leads to no list: generations are filtered by the keys that exist.',
  app: 'These rows lead to no list: generations have no filter for apps.',
};
const UNREAD_KEYS =
  'The keys could not be read, so that their rows lead to no list. This page goes on by itself.';

function Name({ text, filter, span }: { text: string; filter: Filter | undefined; span: Span }) {
  if (filter === undefined) return <bdi>{text}</bdi>;
  const range = { start: new Date(span.start).toISOString(), end: new Date(span.end).toISOString() };
  return (
    <Link to="/generations" search={{ ...filter, ...range }} title="Show these generations">
      <bdi>{text}</bdi>
    </Link>
  );
}
