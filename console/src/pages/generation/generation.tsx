/** Shows one generation: its cost, tokens, timing, attempts, and what was said. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo, type Schema, useCall } from '../../api/call.ts';
import { formatCount, formatShare } from '../../format/numbers.ts';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Moment, Usd } from '../../parts/value/value.tsx';
import { Content } from './content.tsx';
import { Timing } from './timing.tsx';

type Record = Schema<'Generation'>;

const route = getRouteApi('/generations/$id');

export function Generation() {
  const { id } = route.useParams();
  const call = callTo('GET', '/generation', { query: { id } });
  return (
    <Page
      title="Generation"
      about={<code>{id}</code>}
      call={call}
      actions={<CopyButton look="quiet" label="Copy id" text={() => id} />}
    >
      <Loaded query={useCall(call)} what="the generation">
        {({ data: record }) => (
          <>
            <Columns>
              <Request record={record} />
              <div className="stack">
                <Costs record={record} />
                <Tokens record={record} />
              </div>
            </Columns>
            <Timing record={record} />
            <Content id={id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Request({ record }: { record: Record }) {
  const text = (value: string | null) => value && <bdi>{value}</bdi>;
  return (
    <Card title="Request">
      <Facts
        facts={{
          Model: <bdi>{record.model}</bdi>,
          Provider: text(record.provider_name),
          Time: <Moment at={record.created_at} />,
          Finished: record.cancelled ? 'cancelled by the caller' : text(record.finish_reason),
          Type: `${record.api_type}${record.streamed ? ', streamed' : ''}`,
          'Service tier': text(record.service_tier),
          Router: text(record.router),
          'End user': text(record.external_user),
          Session: text(record.session_id),
          Preset: text(record.preset_id),
          From: text(record.http_referer),
          Program: text(record.user_agent),
          'Request id': text(record.request_id),
        }}
      />
    </Card>
  );
}

function Tokens({ record }: { record: Record }) {
  const count = (value: number | null) => (value === null ? null : formatCount(value));
  const { tokens_prompt: prompt, native_tokens_cached: cached } = record;
  const share = prompt && cached !== null ? ` (${formatShare(cached / prompt)})` : '';
  return (
    <Card title="Tokens">
      <Facts
        facts={{
          Prompt: formatCount(prompt),
          'of it from a cache': cached === null ? null : `${formatCount(cached)}${share}`,
          Answer: formatCount(record.tokens_completion),
          'of it reasoning': count(record.native_tokens_reasoning),
          'of it pictures': count(record.native_tokens_completion_images),
          'Media in the prompt': count(record.num_media_prompt),
          'Media made': count(record.num_media_completion),
        }}
      />
    </Card>
  );
}

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

function Costs({ record }: { record: Record }) {
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
