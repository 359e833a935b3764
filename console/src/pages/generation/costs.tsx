/** Shows what a generation cost: in total, and by kind. */
import type { Schema } from '../../api/call.ts';
import { formatShare } from '../../format/numbers.ts';
import { Usd } from '../../parts/value/value.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Card } from '../../parts/page/page.tsx';

type Record = Schema<'Generation'>;
type Kind = keyof Schema<'CostByKind'>;

const KINDS: readonly [kind: Kind, name: string][] = [
  ['prompt', 'Prompt'],
  ['cache_read', 'Prompt from a cache'],
  ['cache_write', 'Written to a cache'],
  ['completion', 'Answer'],
  ['reasoning', 'Reasoning'],
  ['media', 'Pictures, audio and video'],
  ['request', 'For the request'],
];

export function Costs({ record }: { record: Record }) {
  const { cost_by_kind: kinds, total_cost: total, upstream_inference_cost: upstream } = record;
  const shown = kinds === null ? [] : KINDS.filter(([kind]) => kinds[kind] !== null);
  const parts = shown.map(([kind, name]) => [
    `– ${name}`,
    <Part key={kind} value={kinds![kind]} total={total} />,
  ]);
  return (
    <Card title="Cost">
      <Facts
        facts={{
          Charged: <Usd value={record.usage} />,
          Total: <Usd value={total} />,
          ...Object.fromEntries(parts),
          'At the provider': upstream === null ? null : <Usd value={upstream} />,
          'Paid with': record.is_byok ? 'your own key at the provider' : 'credits of your organization',
        }}
      />
    </Card>
  );
}

function Part({ value, total }: { value: number | null; total: number }) {
  return (
    <>
      <Usd value={value} />
      {total > 0 && ` (${formatShare((value ?? 0) / total)})`}
    </>
  );
}
