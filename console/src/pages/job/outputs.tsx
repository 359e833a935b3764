/** Plays the videos of a completed job, and offers them for download. */
import { API_BASE } from '../../api/client.ts';
import { isPast } from '../../format/moments.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { Moment } from '../../parts/value/value.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { JobRecord } from '../jobs/jobs.tsx';
import styles from './job.module.css';

export function Outputs({ job: { id, urls = [], expires_at: expiry } }: { job: JobRecord }) {
  const path = `/videos/${id}/content`;
  const end = expiry === undefined ? undefined : new Date(expiry * 1_000).toISOString();
  if (end !== undefined && isPast(end)) {
    return (
      <Card title="Video">
        <Empty title="The video has expired.">
          Videos are kept for a limited time. Submit the job again.
        </Empty>
      </Card>
    );
  }
  return (
    <Card title="Video" call={{ method: 'GET', path }}>
      <ul className="row plainList">
        {Array.from({ length: Math.max(urls.length, 1) }, (_, index) => (
          <li key={index} className="stack">
            {/* A generated video has no captions to offer. */}
            {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
            <video
              className={styles['video']}
              controls
              preload="metadata"
              src={`${API_BASE}${path}?index=${index}`}
            />
            <a className={buttonClass()} href={`${API_BASE}${path}?index=${index}`} download>
              Download
            </a>
          </li>
        ))}
      </ul>
      {end !== undefined && (
        <small>
          Kept until <Moment at={end} />.
        </small>
      )}
    </Card>
  );
}
