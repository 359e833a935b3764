/** Draws where the time of a generation went: a bar for the whole, and its attempts one after the other. */
import type { components } from '../../../generated/api.d.ts';
import { formatMs } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/badge/badge.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty } from '../../parts/states/states.tsx';
import styles from './timing.module.css';

type Record = components['schemas']['Generation'];

export function Timing({ record }: { record: Record }) {
  const { latency, generation_time: total, provider_responses: attempts } = record;
  return (
    <Card title="Timing">
      {latency !== null && total !== null && total > 0 && (
        <Whole latency={Math.min(latency, total)} total={total} />
      )}
      {attempts === null || attempts.length === 0 ? (
        <Empty title="No provider was called." />
      ) : (
        <Attempts attempts={attempts} totalMs={total ?? 0} />
      )}
    </Card>
  );
}

function Whole({ latency, total }: { latency: number; total: number }) {
  const rest = total - latency;
  return (
    <figure className={styles['whole']}>
      <div className={styles['bar']} aria-hidden="true">
        <span className={styles['waiting']} style={{ flexGrow: latency }} />
        <span className={styles['answering']} style={{ flexGrow: rest }} />
      </div>
      <figcaption className={styles['legend']}>
        <span className={styles['waitingKey']}>Until the first token: {formatMs(latency)}</span>
        <span className={styles['answeringKey']}>Answering: {formatMs(rest)}</span>
        <span>In total: {formatMs(total)}</span>
      </figcaption>
    </figure>
  );
}

type Attempt = components['schemas']['ProviderResponse'];

/** The record has the length of each attempt, and no starts: attempts follow each other. */
function Attempts({ attempts, totalMs }: { attempts: readonly Attempt[]; totalMs: number }) {
  const called = attempts.reduce((sum, { latency }) => sum + (latency ?? 0), 0);
  const whole = Math.max(totalMs, called, 1);
  const rows = attempts.map((attempt, index) => ({
    attempt,
    index,
    start: attempts.slice(0, index).reduce((sum, { latency }) => sum + (latency ?? 0), 0),
  }));
  return (
    <ol className={styles['attempts']} aria-label="Attempts">
      {rows.map(({ attempt, index, start }) => (
        <li key={index} className={styles['attempt']}>
          <span className={styles['name']}>
            <bdi>{attempt.provider_name}</bdi> <Outcome status={attempt.status ?? null} />
            {attempt.is_byok && <span className={styles['note']}>own key</span>}
          </span>
          <span className={styles['track']} aria-hidden="true">
            <span
              className={isSuccess(attempt.status ?? null) ? styles['won'] : styles['lost']}
              style={{
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
