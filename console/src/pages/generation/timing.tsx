/** Draws where the time of a generation went: a bar for the whole, and its attempts one after the other. */
import type { Schema } from '../../api/call.ts';
import { formatMs } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/value/value.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty } from '../../parts/states/states.tsx';
import styles from './timing.module.css';

type Record = Schema<'Generation'>;

export function Timing({ record }: { record: Record }) {
  const { generation_time: total, provider_responses: attempts } = record;
  const spans = spansOf(record);
  return (
    <Card title="Timing">
      {spans.length > 0 && <Whole spans={spans} total={total ?? 0} />}
      {attempts === null || attempts.length === 0 ? (
        <Empty title="No provider was called." />
      ) : (
        <Attempts attempts={attempts} totalMs={total ?? 0} />
      )}
    </Card>
  );
}

/** A part of the time of a generation. */
interface Span {
  name: string;
  ms: number;
  colour: string;
}

const [FAILED, WAITING, ANSWERING] = ['var(--bad)', 'var(--series-2)', 'var(--series-1)'];

/**
 * Divides the time. The record says how long each call took until it answered or its stream began. The time before
 * the first token that belongs to no call passed in the gateway or, in a stream, before its first token.
 */
function spansOf({ latency, generation_time: total, provider_responses: calls, streamed }: Record): Span[] {
  if (latency === null || total === null || total <= 0) return [];
  const first = Math.min(latency, total);
  const called = (calls ?? []).map((call) => call.latency ?? 0);
  const answered = Math.min(called.at(-1) ?? 0, first);
  const failed = Math.min(
    called.slice(0, -1).reduce((sum, ms) => sum + ms, 0),
    first - answered,
  );
  const spans: Span[] = [
    { name: 'Calls that failed', ms: failed, colour: FAILED },
    {
      name: streamed ? 'First byte of the provider' : 'Answer of the provider',
      ms: answered,
      colour: WAITING,
    },
    {
      name: streamed ? 'Waiting in the gateway, and for the first token' : 'Waiting in the gateway',
      ms: first - answered - failed,
      colour: 'var(--line-strong)',
    },
    { name: streamed ? 'Stream' : 'Passing it on', ms: total - first, colour: ANSWERING },
  ];
  return spans.filter(({ ms }) => ms > 0);
}

function Whole({ spans, total }: { spans: readonly Span[]; total: number }) {
  return (
    <figure className="stack">
      <div className={styles['bar']} aria-hidden="true">
        {spans.map(({ name, ms, colour: background }) => (
          <span key={name} style={{ flexGrow: ms, background }} />
        ))}
      </div>
      <figcaption className="row">
        {spans.map(({ name, ms, colour: background }) => (
          <span key={name}>
            <i className={styles['key']} style={{ background }} />
            {name}: {formatMs(ms)}
          </span>
        ))}
        <span>In total, without the commit of its record: {formatMs(total)}</span>
      </figcaption>
    </figure>
  );
}

/** The record has the length of each attempt, and no starts: attempts follow each other. */
function Attempts({
  attempts,
  totalMs,
}: {
  attempts: readonly Schema<'ProviderResponse'>[];
  totalMs: number;
}) {
  const called = attempts.reduce((sum, { latency }) => sum + (latency ?? 0), 0);
  const whole = Math.max(totalMs, called, 1);
  const rows = attempts.map((attempt, index) => ({
    attempt,
    index,
    start: attempts.slice(0, index).reduce((sum, { latency }) => sum + (latency ?? 0), 0),
  }));
  return (
    <ol className="stack plainList" aria-label="Attempts">
      {rows.map(({ attempt, index, start }) => (
        <li key={index} className={styles['attempt']}>
          <span>
            <bdi>{attempt.provider_name}</bdi> <Outcome status={attempt.status ?? null} />
            {attempt.is_byok && <small>own key</small>}
          </span>
          <span className={styles['track']} aria-hidden="true">
            <span
              className={styles['attemptBar']}
              style={{
                background: isSuccess(attempt.status ?? null) ? ANSWERING : FAILED,
                marginInlineStart: `${(start / whole) * 100}%`,
                width: `max(3px, ${((attempt.latency ?? 0) / whole) * 100}%)`,
              }}
            />
          </span>
          <span className={styles['time']}>{formatMs(attempt.latency)}</span>
        </li>
      ))}
    </ol>
  );
}

function Outcome({ status }: { status: number | null }) {
  if (isSuccess(status)) return <StateBadge state="ok" />;
  return <StateBadge state={status === null ? 'no answer' : `failed`} />;
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;
