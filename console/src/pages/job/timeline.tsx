/** Shows what has happened to a job, the oldest first. */
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { formatMs } from '../../format/numbers.ts';
import { Moment } from '../../parts/value/value.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import styles from './job.module.css';

type JobEvent = Schema<'VideoEvent'>;

export function Timeline({ id, isLive }: { id: string; isLive: boolean }) {
  const call = callTo('GET', '/videos/{jobId}/timeline', { path: { jobId: id } });
  const timeline = useCall(call, { isLive, version: isLive, keepsLast: true });
  return (
    <Card title="Timeline" call={call}>
      <Loaded query={timeline} what="the timeline">
        {({ data }) => (
          <ol className="plainList">
            {data.map((event, index) => (
              <Event key={index} event={event} since={data[index - 1]?.at} />
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}

function Event({ event, since }: { event: JobEvent; since: string | undefined }) {
  return (
    <li className={`${styles['event']} ${isBad(event) ? styles['bad'] : ''}`}>
      <p>
        <strong>{wordsFor(event)}</strong>
      </p>
      <small>
        <Moment at={event.at} />
        {since !== undefined && <> · {formatMs(Date.parse(event.at) - Date.parse(since))} later</>}
      </small>
    </li>
  );
}

function wordsFor(event: JobEvent): string {
  switch (event.type) {
    case 'accepted':
      return 'Accepted by the gateway';
    case 'refused':
      return `Refused by ${event.provider} ${event.count} times: ${event.reason.replaceAll('_', ' ')}`;
    case 'submitted':
      return `Submitted to ${event.provider}`;
    case 'checked':
      return `Checked at its provider ${event.count} times; the latest check`;
    case 'stored':
      return `Output ${event.index + 1} stored`;
    case 'settled':
      return `Ended: ${event.status}; its cost is billed`;
    case 'webhook_attempt':
      return `Webhook ${event.replay > 0 ? `replay ${event.replay}, ` : ''}attempt ${event.attempt}: ${event.outcome}${event.status_code === null ? '' : ` (${event.status_code})`}`;
  }
}

function isBad(event: JobEvent): boolean {
  if (event.type === 'refused') return true;
  if (event.type === 'settled') return event.status !== 'completed';
  return event.type === 'webhook_attempt' && (event.outcome === 'failed' || event.outcome === 'refused');
}
