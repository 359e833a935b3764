/** Shows one video job: its state, its timeline, and its video. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { LIVE_MS } from '../../api/query-client.ts';
import { Usd } from '../../parts/amount/amount.tsx';
import { StateBadge } from '../../parts/badge/badge.tsx';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Confirm } from '../../parts/dialog/confirm.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { TemporalLink } from '../../parts/temporal/temporal-link.tsx';
import { isOpen, type JobRecord } from '../jobs/job-table.tsx';
import { Outputs } from './outputs.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/jobs/$id');

export function Job() {
  const { id } = route.useParams();
  const path = { jobId: id };
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const job = useQuery({
    queryKey: ['job', id],
    queryFn: ({ signal }) => read(api.GET('/videos/{jobId}', { params: { path }, signal })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnfinished(data) ? LIVE_MS : false),
  });
  const cancelCall = { method: 'POST', path: `/videos/${id}/cancel` } as const;
  return (
    <Page
      title="Video job"
      about={<code>{id}</code>}
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: `/videos/${id}` }} />
          <TemporalLink workflow={id} />
          {job.data !== undefined && isOpen(job.data) && (
            <Button look="danger" onClick={() => setAsks(true)}>
              Cancel job
            </Button>
          )}
        </>
      }
    >
      <Loaded query={job} what="the job">
        {(record) => (
          <>
            {record.status === 'completed' && <Outputs job={record} />}
            <Columns>
              <State job={record} />
              <Timeline id={id} isLive={isUnfinished(record)} />
            </Columns>
          </>
        )}
      </Loaded>
      {asks && (
        <Confirm
          title={`Cancel the job of ${job.data?.model}?`}
          action="Cancel job"
          call={cancelCall}
          run={() => read(api.POST('/videos/{jobId}/cancel', { params: { path } }))}
          onClose={() => {
            setAsks(false);
            void queries.invalidateQueries({ queryKey: ['job', id] });
          }}
        >
          <p>The provider is asked to stop. If it does not, the job may still complete and cost its price.</p>
        </Confirm>
      )}
    </Page>
  );
}

/** True while the job or its webhook moves on. */
const isUnfinished = (job: JobRecord): boolean => isOpen(job) || job.webhook?.state === 'pending';

function State({ job }: { job: JobRecord }) {
  const { waiting, webhook, generation_id: generationId } = job;
  return (
    <Card title="State">
      <Facts
        facts={[
          ['Status', <StateBadge key="status" state={job.status} />],
          ['Reason', job.error === undefined ? undefined : <bdi key="error">{job.error}</bdi>],
          ['Model', <bdi key="model">{job.model}</bdi>],
          ['Accepted', <Moment key="accepted" at={job.created_at} />],
          ['Started', <Moment key="started" at={job.started_at} />],
          [
            'Progress',
            isOpen(job) && job.progress !== null ? (
              <Progress key="progress" percent={job.progress} />
            ) : undefined,
          ],
          [
            'Waits',
            waiting === null ? undefined : (
              <span key="waits">
                {waiting.reason.replaceAll('_', ' ')} since <Moment at={waiting.since} />
              </span>
            ),
          ],
          ['Deadline', isOpen(job) ? <Moment key="deadline" at={job.deadline_at} /> : undefined],
          [
            'Cancel requested',
            job.cancel_requested_at === null ? undefined : (
              <Moment key="cancel" at={job.cancel_requested_at} />
            ),
          ],
          ['Cost', job.usage === undefined ? undefined : <Usd key="cost" value={job.usage.cost} />],
          ['Webhook', webhook === null ? 'none' : <Webhook key="webhook" webhook={webhook} />],
          [
            'Generation',
            generationId === undefined ? undefined : (
              <Link key="generation" to="/generations/$id" params={{ id: generationId }}>
                {generationId}
              </Link>
            ),
          ],
        ]}
      />
    </Card>
  );
}

function Progress({ percent }: { percent: number }) {
  return (
    <>
      <progress max={100} value={percent} aria-label="Progress" /> {percent} %
    </>
  );
}

function Webhook({ webhook }: { webhook: NonNullable<JobRecord['webhook']> }) {
  return (
    <>
      <StateBadge state={webhook.state} /> after {webhook.attempts} attempts
      {webhook.last_reason !== null && <>: {webhook.last_reason}</>}
    </>
  );
}
