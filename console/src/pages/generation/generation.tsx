/** Shows one generation: its cost, tokens, timing, attempts, and what was said. */
import { getRouteApi } from '@tanstack/react-router';
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { formatCount, formatShare } from '../../format/numbers.ts';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Moment } from '../../parts/value/value.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Content } from './content.tsx';
import { Costs } from './costs.tsx';
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
