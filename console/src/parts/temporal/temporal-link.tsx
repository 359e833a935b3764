/** Leads to a workflow in the Temporal UI, for sessions that may see where it is. */
import { useSession } from '../../api/session.ts';
import { buttonClass } from '../button/button.tsx';

export function TemporalLink({ workflow }: { workflow: string }) {
  const { temporal_ui_url: url } = useSession();
  if (url === null || !/^https?:/.test(url)) return null;
  const target = `${url}/workflows/${encodeURIComponent(workflow)}`;
  return (
    <a className={buttonClass('quiet')} href={target} target="_blank" rel="noreferrer">
      Temporal UI
    </a>
  );
}
