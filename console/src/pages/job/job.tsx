/** Shows one video job: its state, its timeline, and its video. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { callTo, useCall } from '../../api/call.ts';
import { Confirm, DialogButton } from '../../parts/dialog/dialog.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { Card, Columns, Page } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import { Moment, StateBadge, Usd, TemporalLink } from '../../parts/value/value.tsx';
import { isOpen, type JobRecord } from '../jobs/jobs.tsx';
import { Outputs } from './outputs.tsx';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/jobs/$id');

export function Job() {
  const { id } = route.useParams();
  const path = { jobId: id };
  const call = callTo('GET', '/videos/{jobId}', { path });
  const job = useCall(call, { isLive: isUnfinished });
  return (
    <Page
      title="Video job"
      about={<code>{id}</code>}
      call={call}
      actions={
        <>
          <TemporalLink workflow={id} />
          {job.data !== undefined && isOpen(job.data) && (
            <DialogButton look="danger" label="Cancel job">
              {(close) => (
                <Confirm
                  title={`Cancel the job of ${job.data.model}?`}
                  action="Cancel job"
                  call={callTo('POST', '/videos/{jobId}/cancel', { path })}
                  onClose={close}
                >
                  <p>
                    The provider is asked to stop. If it does not, the job may still complete and cost its
                    price.
                  </p>
                </Confirm>
              )}
            </DialogButton>
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
        facts={{
          Status: <StateBadge state={job.status} />,
          Reason: job.error && <bdi>{job.error}</bdi>,
          Model: <bdi>{job.model}</bdi>,
          Accepted: <Moment at={job.created_at} />,
          Started: <Moment at={job.started_at} />,
          Progress: isOpen(job) && job.progress !== null ? <Progress percent={job.progress} /> : null,
          Waits: waiting && (
            <>
              {waiting.reason.replaceAll('_', ' ')} since <Moment at={waiting.since} />
            </>
          ),
          Deadline: isOpen(job) ? <Moment at={job.deadline_at} /> : null,
          'Cancel requested': job.cancel_requested_at && <Moment at={job.cancel_requested_at} />,
          Cost: job.usage && <Usd value={job.usage.cost} />,
          Webhook: webhook === null ? 'none' : <Webhook webhook={webhook} />,
          Generation: generationId && (
            <Link to="/generations/$id" params={{ id: generationId }}>
              {generationId}
            </Link>
          ),
        }}
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
