/** Shows one page of generations as a table. */
import type { Schema } from '../../api/call.ts';
import { formatCount, formatMs, NONE } from '../../format/numbers.ts';
import { Moment, StateBadge, Usd } from '../../parts/value/value.tsx';
import { type Column, linkColumn, Table } from '../../parts/table/table.tsx';

const COLUMNS: readonly Column<Schema<'GenerationListItem'>>[] = [
  linkColumn('Time', '/generations/$id', ({ created_at: at }) => <Moment at={at} />),
  { name: 'Model', cell: ({ model }) => <bdi>{model}</bdi> },
  { name: 'Provider', cell: ({ provider_name: name }) => name },
  { name: 'Key', cell: ({ api_key_name: name }) => <bdi>{name ?? NONE}</bdi> },
  { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { name: 'Tokens in', isNumber: true, cell: ({ tokens_prompt: tokens }) => formatCount(tokens) },
  { name: 'Tokens out', isNumber: true, cell: ({ tokens_completion: tokens }) => formatCount(tokens) },
  { name: 'First token', isNumber: true, cell: ({ latency }) => formatMs(latency) },
  { name: 'Total', isNumber: true, cell: ({ generation_time: total }) => formatMs(total) },
  { name: 'Cost', isNumber: true, cell: ({ total_cost: cost }) => <Usd value={cost} /> },
];

export function GenerationTable({ rows }: { rows: readonly Schema<'GenerationListItem'>[] }) {
  return <Table caption="Generations" rows={rows} keyOf={({ id }) => id} columns={COLUMNS} />;
}
